/** What several ask of a device at once goes there together, and whoever is at fault is refused alone. */

import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { chooseAdapter } from "./adapters.ts";
import { Device } from "./device.ts";
import type { SharedSteps } from "./shared-steps.ts";
import type { Kernel, Step } from "./steps.ts";
import { whyNoDevice } from "./testing/swiftshader.ts";

const why = whyNoDevice();

/** Multiplies numbers. */
const multiply = (factor: number): string => /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) thread: vec3<u32>) {
  numbers[thread.x] *= ${factor}u;
}
`;

/** The numbers at places. */
const DOUBLE = /* wgsl */ `
@group(0) @binding(0) var<storage, read> places: array<u32>;
@group(0) @binding(1) var<storage, read_write> numbers: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>) {
  numbers[places[workgroup.y]] *= 2u;
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

  describe("of steps that several fits share", () => {
    /** Doubles the numbers of all that entered, by one dispatch. */
    class Doubling implements SharedSteps {
      readonly fits = new Set<object>();
      readonly sizes: number[] = [];
      readonly #numbers: GPUBuffer;
      readonly #places: GPUBuffer;
      readonly #kernel: Kernel;
      #entered: number[] = [];

      private constructor(numbers: GPUBuffer, places: GPUBuffer, kernel: Kernel) {
        this.#numbers = numbers;
        this.#places = places;
        this.#kernel = kernel;
      }

      static async begin(): Promise<Doubling> {
        const numbers = await device.buffer(256);
        const places = await device.buffer(256);
        return new Doubling(numbers, places, await device.kernel(DOUBLE, [places, numbers]));
      }

      has(fit: object): boolean {
        return this.fits.has(fit);
      }

      steps(): Step[] {
        const entered = this.#entered.splice(0);
        this.sizes.push(entered.length);
        device.write(this.#places, 0, Uint32Array.from(entered));
        return [{ kernel: this.#kernel, groups: [1, entered.length] }];
      }

      /** @param bytes that are read back; more than there are is refused */
      async double(fit: object, place: number, value: number, bytes = 4): Promise<number> {
        this.fits.add(fit);
        const to = await device.buffer(4, "readback");
        const share = { of: this, by: fit, enter: () => void this.#entered.push(place) };
        device.write(this.#numbers, 4 * place, Uint32Array.of(value));
        const after: Step[] = [{ copy: this.#numbers, from: 4 * place, to, at: 0, bytes }];
        let found = Number.NaN;
        const read = { buffer: to, bytes: 4 };
        await device.run({ steps: [], share, after, read }, (bytes) => {
          found = new Uint32Array(bytes)[0]!;
        });
        return found;
      }
    }

    it("does those of all that wait at once", async () => {
      const doubling = await Doubling.begin();
      // The clock stands still but for five milliseconds that each of these steps takes: they are waited for by it.
      let clock = performance.now();
      const stopped = vi.spyOn(performance, "now").mockImplementation(() => clock);
      onTestFinished(() => stopped.mockRestore());
      const steps = doubling.steps.bind(doubling);
      doubling.steps = () => {
        clock += 5;
        return steps();
      };
      const fits = Array.from({ length: 9 }, () => ({}));
      const found = await Promise.all(fits.map((fit, i) => doubling.double(fit, i, 10 + i)));
      expect(found).toEqual(fits.map((_, i) => 20 + 2 * i));
      expect(doubling.sizes).toEqual([9]);
      // Those that were answered together are waited for, in whatever order they come.
      const again = fits.map(async (fit, i) => {
        await setTimeout(20 * (i % 2));
        return await doubling.double(fit, i, i);
      });
      expect(await Promise.all(again)).toEqual(fits.map((_, i) => 2 * i));
      expect(doubling.sizes).toEqual([9, 9]);
    });

    it("waits for nobody who left, nor long for one who does not come", async () => {
      const doubling = await Doubling.begin();
      const [one, other] = [{}, {}];
      await Promise.all([doubling.double(one, 0, 1), doubling.double(other, 1, 1)]);
      expect(await doubling.double(one, 0, 4)).toBe(8);
      // Who did not come was of the last ones no more.
      expect(await doubling.double(one, 0, 5)).toBe(10);
      await Promise.all([doubling.double(one, 0, 1), doubling.double(other, 1, 1)]);
      doubling.fits.delete(other);
      expect(await doubling.double(one, 0, 6)).toBe(12);
      expect(doubling.sizes.reduce((sum, size) => sum + size)).toBe(7);
    });

    it("refuses the work that is at fault, and does what went with it", async () => {
      const doubling = await Doubling.begin();
      const asked = [3, 4, 5].map((value, i) =>
        doubling.double({}, i, value, i === 1 ? 2 ** 20 : 4),
      );
      const found = await Promise.allSettled(asked);
      expect(found.map((each) => (each.status === "fulfilled" ? each.value : null))).toEqual([
        ...[6, null, 10],
      ]);
      expect(doubling.sizes).toEqual([3, 1, 1, 1]);
    });
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
