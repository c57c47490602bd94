/** Which classes are taken for which: counts of rows, and how well each class is found. */

export interface ClassFigures {
  readonly name: string;
  readonly rows: number;
  /** Null where the class is never predicted. */
  readonly precision: number | null;
  /** Null where no row is of the class. */
  readonly recall: number | null;
  /** Rows that the class is predicted for. */
  readonly predicted: number;
  /** Null where both are undefined: no row is of the class or predicted to be. */
  readonly f1: number | null;
}

export interface Confusion {
  /** What the rows and columns of `cells` are; the rarer classes of many are one, `null`. */
  readonly labels: readonly (string | null)[];
  /** Row-major, true × predicted, numbers of rows. */
  readonly cells: readonly number[];
  readonly accuracy: number;
  /** Every class, the most frequent first. */
  readonly classes: readonly ClassFigures[];
}

/** A matrix of more cannot be read; beyond, the rarer classes are joined. */
export const CONFUSION_CLASSES = 20;

/**
 * @param names of the classes
 * @param target index of each row's class
 * @param predicted index of the class that the model says
 */
export function confusion(
  names: readonly string[],
  target: ArrayLike<number>,
  predicted: ArrayLike<number>,
): Confusion {
  const count = names.length;
  const matrix = new Float64Array(count * count);
  let right = 0;
  for (let i = 0; i < target.length; i++) {
    matrix[target[i] * count + predicted[i]]++;
    if (target[i] === predicted[i]) right++;
  }
  const truly = new Float64Array(count);
  const said = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < count; j++) {
      truly[i] += matrix[i * count + j];
      said[j] += matrix[i * count + j];
    }
  }
  const byRows = [...names.keys()].sort((a, b) => truly[b] - truly[a] || a - b);
  const { labels, place } = shownClasses(names, byRows);
  const cells = new Array<number>(labels.length ** 2).fill(0);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < count; j++) {
      cells[place[i] * labels.length + place[j]] += matrix[i * count + j];
    }
  }
  return {
    labels,
    cells,
    accuracy: target.length > 0 ? right / target.length : 0,
    classes: byRows.map((k) => ({
      name: names[k],
      rows: truly[k],
      precision: said[k] > 0 ? matrix[k * count + k] / said[k] : null,
      recall: truly[k] > 0 ? matrix[k * count + k] / truly[k] : null,
      predicted: said[k],
      f1: truly[k] + said[k] > 0 ? (2 * matrix[k * count + k]) / (truly[k] + said[k]) : null,
    })),
  };
}

/** Classes keep their own order in the matrix; what is joined comes last. */
function shownClasses(
  names: readonly string[],
  byRows: readonly number[],
): { labels: (string | null)[]; place: number[] } {
  if (names.length <= CONFUSION_CLASSES) {
    return { labels: [...names], place: [...names.keys()] };
  }
  const shown = byRows.slice(0, CONFUSION_CLASSES - 1).sort((a, b) => a - b);
  const place = new Array<number>(names.length).fill(shown.length);
  for (const [to, from] of shown.entries()) place[from] = to;
  return { labels: [...shown.map((k) => names[k]), null], place };
}
