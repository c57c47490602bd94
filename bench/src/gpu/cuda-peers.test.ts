/** Other libraries beside the GPU: what is there is fitted, what is not is named with why. */

import process from "node:process";
import { expect, it } from "vitest";
import { syntheticData } from "../bench-data.ts";
import { peerFits } from "./cuda-peers.ts";

const request = {
  ...{ rounds: 2, leaves: 7, epochs: 1, batch: 64 },
  large: { leaves: 15, rounds: [2, 40] },
};
const data = syntheticData(300, 4);
const LIBRARIES = ["catboost", "lightgbm", "pytorch", "xgboost"];

it("names a Python that is not there", async () => {
  const { fits, missing } = await peerFits("no-such-python", data, { ...request, device: "cuda" });
  expect(fits).toEqual([]);
  expect(missing["python"]).toMatch(/ENOENT/);
});

it("fits what is there, and says of each other library why not", async () => {
  const python = process.env["PYTHON"] ?? "python3";
  for (const device of ["cpu", "cuda"] as const) {
    const { fits, missing } = await peerFits(python, data, { ...request, device });
    if (missing["python"] !== undefined) return;
    const named = [...fits.map(({ library }) => library), ...Object.keys(missing)];
    expect(named.sort()).toEqual(LIBRARIES);
    expect(fits.every(({ seconds, version }) => seconds > 0 && version !== "")).toBe(true);
    for (const { library, roundSeconds } of fits) {
      expect(roundSeconds !== null, library).toBe(["lightgbm", "xgboost"].includes(library));
    }
    expect(Object.values(missing).every((why) => why.length > 5)).toBe(true);
  }
});
