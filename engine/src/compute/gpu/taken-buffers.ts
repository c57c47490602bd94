/** Buffers that are given back together. */

import type { BufferUse } from "./device.ts";
import type { Scene } from "./program.ts";

export class TakenBuffers {
  readonly #scene: Scene;
  readonly #buffers: { readonly buffer: GPUBuffer; readonly use: BufferUse }[] = [];

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async take(bytes: number, use: BufferUse = "storage"): Promise<GPUBuffer> {
    const buffer = await this.#scene.device.buffer(bytes, use);
    this.#buffers.push({ buffer, use });
    return buffer;
  }

  /** With what lies in the arena. @param bytes a multiple of 4; 0: anything will do */
  async filled(memory: ArrayBufferLike, pointer: number, bytes: number): Promise<GPUBuffer> {
    const buffer = await this.take(bytes);
    if (bytes > 0) this.#scene.device.write(buffer, 0, new Uint8Array(memory, pointer, bytes));
    return buffer;
  }

  release(): void {
    for (const { buffer, use } of this.#buffers.splice(0)) this.#scene.device.release(buffer, use);
  }
}
