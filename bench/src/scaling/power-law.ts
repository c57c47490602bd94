/** y = c · x^exponent through points of positive numbers, by least squares of the logarithms. */

export interface PowerLaw {
  readonly exponent: number;
  at(x: number): number;
}

/** @param points of at least two different x */
export function fitPowerLaw(points: readonly (readonly [x: number, y: number])[]): PowerLaw {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const mean = (place: 0 | 1): number =>
    logs.reduce((sum, each) => sum + each[place], 0) / logs.length;
  const [x0, y0] = [mean(0), mean(1)];
  let [together, alone] = [0, 0];
  for (const [x, y] of logs) {
    together += (x - x0) * (y - y0);
    alone += (x - x0) ** 2;
  }
  const exponent = together / alone;
  return { exponent, at: (x) => Math.exp(y0 + exponent * (Math.log(x) - x0)) };
}
