/** The least seconds of several, after one that compiles and uploads. */
export async function least(repeats: number, action: () => unknown): Promise<number> {
  let seconds = Number.POSITIVE_INFINITY;
  for (let i = 0; i <= repeats; i++) {
    const begun = performance.now();
    await action();
    if (i > 0) seconds = Math.min(seconds, (performance.now() - begun) / 1000);
  }
  return seconds;
}
