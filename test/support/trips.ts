/** Trips that are late or not, of which metrics disagree about models. */

/** Rare and noisy positives: more of them found costs accuracy. */
export function trips(): string {
  let state = 7;
  const random = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
  const lines = Array.from({ length: 400 }, () => {
    const [distance, load] = [random(), random()];
    const chance = 1 / (1 + Math.exp(1.2 - 3 * (distance - 0.5) - 2 * (load - 0.5)));
    const kind = random() < 0.5 ? "van" : "lorry";
    return `${distance.toFixed(4)},${load.toFixed(4)},${kind},${random() < chance ? "yes" : "no"}`;
  });
  return `distance,load,kind,late\n${lines.join("\n")}\n`;
}
