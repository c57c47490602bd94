/** What the analysis of variance of groups is held against. */

/** σ² within over σ² between of unweighted groups, by the sums of squares as textbooks write them. */
export function slowVarianceRatio(groups: readonly (readonly number[])[]): number {
  const all = groups.flat();
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const whole = mean(all);
  let [between, within, squared] = [0, 0, 0];
  for (const group of groups) {
    between += group.length * (mean(group) - whole) ** 2;
    for (const value of group) within += (value - mean(group)) ** 2;
    squared += group.length ** 2;
  }
  const [withinMean, betweenMean] = [
    within / (all.length - groups.length),
    between / (groups.length - 1),
  ];
  const size = (all.length - squared / all.length) / (groups.length - 1);
  return withinMean / ((betweenMean - withinMean) / size);
}
