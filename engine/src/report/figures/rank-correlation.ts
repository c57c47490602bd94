/** Spearman's rank correlation: +1 where one rises with the other, -1 where it falls. */

/** Null where one of them is constant. Ties take the mean of their ranks. */
export function rankCorrelation(a: readonly number[], b: readonly number[]): number | null {
  const x = ranks(a);
  const y = ranks(b);
  const mean = (a.length - 1) / 2;
  let product = 0;
  let spreadX = 0;
  let spreadY = 0;
  for (let i = 0; i < a.length; i++) {
    product += (x[i] - mean) * (y[i] - mean);
    spreadX += (x[i] - mean) ** 2;
    spreadY += (y[i] - mean) ** 2;
  }
  return spreadX > 0 && spreadY > 0 ? product / Math.sqrt(spreadX * spreadY) : null;
}

/** Counted from 0. */
export function ranks(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((i, j) => values[i] - values[j] || i - j);
  const found = new Array<number>(values.length).fill(0);
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to + 1 < order.length && values[order[to + 1]] === values[order[from]]) to++;
    for (let i = from; i <= to; i++) found[order[i]] = (from + to) / 2;
    from = to + 1;
  }
  return found;
}
