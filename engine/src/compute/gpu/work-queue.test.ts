/** What several ask of a device at once goes there together, and whoever is at fault is refused alone. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chooseAdapter } from "./adapters.ts";
import { Device } from "./device.ts";
import { whyNoDevice } from "./testing/swiftshader.ts";
import type { Step } from "./work-queue.ts";

const why = whyNoDevice();

/** Multiplies numbers. */
const multiply = (factor: number): string => /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) thread: vec3<u32>) {
  numbers[thread.x] *= ${factor}u;
}
`;

describe.skipIf(why !== null)(`the queue of a device (${why ?? "SwiftShader"})`, () => {
  let device: Device;
  beforeAll(async () => {
    device = await Device.open(await chooseAdapter({}), { memoryBytes: 2 ** 24 });
  });
  afterAll(() => device.close());

  /** Doubles `[value, …]` so often, and reads it. @param bytes that are read back; more than there are is refused */
  async function doubled(value: number, times: number, bytes = 16, factor = 2): Promise<number[]> {
    const numbers = await device.buffer(16);
    const readback = await device.buffer(16, "readback");
    const kernel = await device.kernel(multiply(factor), [numbers]);
    device.write(numbers, 0, Uint32Array.of(value, value + 1, value + 2, value + 3));
    const steps: Step[] = Array.from({ length: times }, () => ({ kernel, groups: [1] }));
    const read: number[] = [];
    await device.run(
      {
        steps: [...steps, { copy: numbers, from: 0, to: readback, at: 0, bytes }],
        read: { buffer: readback, bytes: 16 },
      },
      (bytes) => read.push(...new Uint32Array(bytes)),
    );
    return read;
  }

  it("sends together what is asked for at once, in its order", async () => {
    await doubled(0, 1);
    const before = device.sent;
    const found = await Promise.all(Array.from({ length: 12 }, (_, i) => doubled(i, 3)));
    expect(found).toEqual(found.map((_, i) => [0, 1, 2, 3].map((more) => 8 * (i + more))));
    expect(device.sent.works - before.works).toBe(12);
    // Two under way, and the rest together.
    expect(device.sent.submissions - before.submissions).toBeLessThanOrEqual(4);
  });

  it("does long work in its order, and refuses it whichever part is at fault", async () => {
    const powers = [1, 2, 3, 4].map((value) => {
      for (let i = 0; i < 100; i++) value = Math.imul(value, 3);
      return value >>> 0;
    });
    expect(await doubled(1, 100, 16, 3)).toEqual(powers);
    await expect(doubled(1, 100, 2 ** 20)).rejects.toThrow("it refused the work");
    expect(await doubled(5, 1)).toEqual([10, 12, 14, 16]);
  });

  it("sends long work alone", async () => {
    const before = device.sent;
    const found = await Promise.all([doubled(1, 64), doubled(1, 1), doubled(1, 70)]);
    expect(found.map(([first]) => first)).toEqual([0, 2, 0]);
    expect(device.sent.submissions - before.submissions).toBe(3);
  });

  it("refuses the work that is at fault, and does what went with it", async () => {
    const asked = [doubled(1, 1), doubled(5, 2, 2 ** 20), doubled(7, 2), doubled(9, 1)];
    const found = await Promise.allSettled(asked);
    expect(found.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
    expect(String(found[1]!.status === "rejected" && found[1]!.reason)).toMatch(
      /DeviceError: it refused the work/,
    );
    const firsts = found.map((each) => each.status === "fulfilled" && each.value[0]);
    expect(firsts).toEqual([2, false, 28, 18]);
  });

  it("answers all with why the device is gone", async () => {
    const lost = await Device.open(await chooseAdapter({}), { memoryBytes: 2 ** 24 });
    const works = [0, 1, 2].map(() => lost.run({ steps: [] }));
    lost.close();
    const ends = await Promise.allSettled(works);
    for (const end of ends) {
      expect(end.status === "rejected" && end.reason.message).toBe("the device was closed");
    }
  });
});
