/** Numbers and names as people read them. */

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

const tenths = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

export function whole(value: number): string {
  return grouped.format(value);
}

/** Four significant digits; large ones in groups, very large and very small ones as powers. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return minus(value.toExponential(2));
  if (size >= 1e4) return minus(grouped.format(value));
  if (Number.isInteger(value)) return minus(String(value));
  return minus(String(Number(value.toPrecision(4))));
}

/** With as many decimals as tell apart values of about that spread. */
export function score(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) return minus(value.toExponential(3));
  if (size >= 1e4) return minus(tenths.format(value));
  return minus(size >= 1000 ? value.toFixed(1) : value.toPrecision(size < 1 ? 4 : 5));
}

export function percent(share: number, digits = 1): string {
  return `${minus((100 * share).toFixed(digits))}\u00a0%`;
}

/**
 * Parts of a whole, rounded so that what is shown adds up to what they do: by the largest remainders (Hamilton's method).
 *
 * @param shares at least 0
 */
export function percents(shares: readonly number[], digits = 1): string[] {
  const units = shares.map((share) => 100 * 10 ** digits * share);
  const shown = units.map(Math.floor);
  const whole = Math.round(units.reduce((sum, each) => sum + each, 0));
  const left = whole - shown.reduce((sum, each) => sum + each, 0);
  const byRemainder = [...units.keys()].sort((a, b) => units[b] - shown[b] - (units[a] - shown[a]));
  for (const place of byRemainder.slice(0, left)) shown[place]++;
  return shown.map((each) => percent(each / (100 * 10 ** digits), digits));
}

/**
 * What members of a blend weigh: parts of the whole where they are averaged, else the numbers that a stacking layer
 * multiplies by, which need not add up to anything.
 */
export function weightTexts(weights: readonly number[], stacked: boolean): string[] {
  return stacked ? weights.map(figure) : percents(weights);
}

export function seconds(value: number): string {
  if (value < 10) return `${Number(value.toPrecision(2))} s`;
  const rounded = Math.round(value);
  if (rounded < 60) return `${rounded} s`;
  if (rounded < 3600) return `${Math.floor(rounded / 60)} min ${rounded % 60} s`;
  const minutes = Math.round(rounded / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** At most so many letters, the rest told by an ellipsis. */
export function shortened(text: string, most: number): string {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${whole(count)} ${count === 1 ? one : many}`;
}

function minus(text: string): string {
  return text.replace("-", "−");
}
