import { describe, expect, it } from "vitest";
import { libraryStep } from "./library-step.ts";

describe("a step in TensorFlow.js", () => {
  it("is trained without native code, on the fastest backend that there is", async () => {
    const rows = 8;
    const inputs = Float32Array.from({ length: 3 * rows }, (_, i) => Math.sin(i));
    const labels = Float32Array.from({ length: rows }, (_, i) => i % 2);
    const made = await libraryStep({ rows, inputs, labels }, [4, 4]);
    expect(made).toMatchObject({ name: expect.stringMatching(/^TensorFlow\.js [\d.]+, wasm$/) });
  });
});
