/** One dispatch of a shader over given buffers, for tests. */

import type { Device } from "../device.ts";

export interface Dispatch {
  readonly shader: string;
  /** Binding 0; null: there is none. */
  readonly uniform: Uint32Array | null;
  /** The bindings behind it. */
  readonly inputs: readonly (Uint8Array | Uint32Array | Float32Array | Float64Array)[];
  /** The last binding, which is cleared before and answered. */
  readonly outputBytes: number;
  readonly groups: readonly [x: number, y?: number];
}

export async function runOnce(
  device: Device,
  { shader, uniform, inputs, outputBytes, groups }: Dispatch,
): Promise<ArrayBuffer> {
  const shape = uniform && (await device.buffer(uniform.byteLength, "uniform"));
  if (shape) device.write(shape, 0, uniform);
  const given: GPUBuffer[] = [];
  for (const input of inputs) {
    const buffer = await device.buffer(input.byteLength);
    device.write(buffer, 0, new Uint8Array(input.buffer, input.byteOffset, input.byteLength));
    given.push(buffer);
  }
  const output = await device.buffer(outputBytes);
  const readback = await device.buffer(outputBytes, "readback");
  const kernel = await device.kernel(shader, [...(shape ? [shape] : []), ...given, output]);
  let found = new ArrayBuffer();
  await device.run(
    {
      steps: [
        { clear: output, bytes: outputBytes },
        { kernel, groups },
        { copy: output, from: 0, to: readback, at: 0, bytes: outputBytes },
      ],
      read: { buffer: readback, bytes: outputBytes },
    },
    (read) => {
      found = read.slice(0);
    },
  );
  for (const buffer of [...given, output]) device.release(buffer);
  if (shape) device.release(shape, "uniform");
  device.release(readback, "readback");
  return found;
}
