/**
 * One GPU: its buffers, pooled and bounded, its compiled shaders, and work that is sent to it and read back.
 *
 * Whatever goes wrong on the device (lost, out of memory, a shader or a call that it refuses) rejects the
 * work's promise with a DeviceError; nothing is answered that was not computed.
 */

import { type AdapterFacts, type ChosenAdapter, openDevice } from "./adapters.ts";
import { DeviceError, lineOf } from "./device-error.ts";
import { beginTurns } from "./patient-turns.ts";
import { type Kernel, type Region, sliceOf } from "./steps.ts";
import { type Sent, type Take, type Work, WorkQueue } from "./work-queue.ts";

/** WebGPU's numbers for what a buffer is used for. */
const MAP_READ = 0x1;
const COPY_SOURCE = 0x4;
const COPY_TARGET = 0x8;
const UNIFORM = 0x40;
const STORAGE = 0x80;
const USAGES = {
  storage: STORAGE | COPY_SOURCE | COPY_TARGET,
  uniform: UNIFORM | COPY_TARGET,
  readback: MAP_READ | COPY_TARGET,
} as const;
export type BufferUse = keyof typeof USAGES;

export interface DeviceOptions {
  /** Of all buffers, in use or kept for the next one who asks. */
  readonly memoryBytes: number;
  /** Fits that come to it at the same time; default: any number. */
  readonly fits?: number | undefined;
}

export class Device {
  readonly facts: AdapterFacts;
  readonly limits: GPUSupportedLimits;
  readonly features: GPUSupportedFeatures;
  /** Resolves with why, when the device is gone. */
  readonly lost: Promise<string>;
  readonly #device: GPUDevice;
  readonly #chosen: ChosenAdapter;
  /** Of all its buffers at most. */
  readonly memoryBytes: number;
  /** That come to it at the same time at most. */
  readonly fits: number;
  readonly #queue: WorkQueue;
  readonly #pipelines = new Map<string, GPUComputePipeline>();
  /** Buffers that nobody uses, oldest first. */
  readonly #idle: { readonly buffer: GPUBuffer; readonly use: BufferUse }[] = [];
  #bytes = 0;
  #buffers = 0;
  #gone: string | null = null;

  private constructor(
    device: GPUDevice,
    chosen: ChosenAdapter,
    { memoryBytes, fits = Number.POSITIVE_INFINITY }: DeviceOptions,
  ) {
    this.#device = device;
    this.#chosen = chosen;
    this.memoryBytes = memoryBytes;
    this.fits = fits;
    this.facts = chosen.facts;
    this.limits = device.limits;
    this.features = device.features;
    this.#queue = new WorkQueue(device, () => this.#gone);
    this.lost = device.lost.then(({ message, reason }) => {
      this.#gone ??= `the device was lost (${message.split("\n", 1)[0] || reason})`;
      return this.#gone;
    });
  }

  /** @throws NoDeviceError */
  static async open(chosen: ChosenAdapter, options: DeviceOptions): Promise<Device> {
    return new Device(await openDevice(chosen), chosen, options);
  }

  /** Buffers there are and their bytes, pooled ones included. */
  get held(): { readonly buffers: number; readonly bytes: number } {
    return { buffers: this.#buffers, bytes: this.#bytes };
  }

  /**
   * A buffer of at least so many bytes (a power of two of them, or a multiple of 1 MiB), whose content is
   * anything.
   *
   * @throws DeviceError where the bound on memory, a limit or the device itself does not allow it
   */
  async buffer(bytes: number, use: BufferUse = "storage"): Promise<GPUBuffer> {
    this.#requireThere();
    const size = pooledSize(bytes);
    const { maxBufferSize, maxStorageBufferBindingSize } = this.limits;
    const most = use === "storage" ? maxStorageBufferBindingSize : maxBufferSize;
    if (size > Math.min(most, maxBufferSize)) {
      throw new DeviceError(
        `a buffer of ${mebibytes(size)} is more than its limit of ${mebibytes(most)}`,
      );
    }
    const found = this.#idle.findIndex((idle) => idle.use === use && idle.buffer.size === size);
    if (found >= 0) return this.#idle.splice(found, 1)[0]!.buffer;
    while (this.#bytes + size > this.memoryBytes && this.#idle.length > 0) this.#destroyOldest();
    if (this.#bytes + size > this.memoryBytes) {
      throw new DeviceError(
        `${mebibytes(this.#bytes + size)} of buffers are more than the ${mebibytes(this.memoryBytes)} that it may use`,
      );
    }
    this.#bytes += size;
    this.#buffers++;
    this.#device.pushErrorScope("validation");
    this.#device.pushErrorScope("out-of-memory");
    const buffer = this.#device.createBuffer({ size, usage: USAGES[use] });
    const errors = await Promise.all([this.#device.popErrorScope(), this.#device.popErrorScope()]);
    const error = errors.find((each) => each !== null);
    if (!error) return buffer;
    this.#destroy(buffer, size);
    throw new DeviceError(`it has no room for a buffer of ${mebibytes(size)} (${lineOf(error)})`);
  }

  /** Gives a buffer back to the pool; nobody may use it any more. */
  release(buffer: GPUBuffer, use: BufferUse = "storage"): void {
    this.#idle.push({ buffer, use });
  }

  /** Lets go of all buffers that nobody uses. */
  trim(): void {
    while (this.#idle.length > 0) this.#destroyOldest();
  }

  /** Writes before the next work. @param bytes a multiple of 4 of them; shared memory may be given */
  write(to: Region, at: number, bytes: Uint8Array | Uint32Array): void {
    this.#requireThere();
    const { buffer, offset } = sliceOf(to);
    // Typed for memory that is not shared alone; Dawn copies from either.
    const source = bytes as Uint8Array<ArrayBuffer>;
    this.#device.queue.writeBuffer(buffer, offset + at, source);
  }

  /**
   * A shader with its buffers, which are its bindings 0, 1, … of group 0. Compiled once.
   *
   * @param code WGSL with one entry point
   * @throws DeviceError where the device refuses the shader or the buffers
   */
  async kernel(code: string, regions: readonly Region[]): Promise<Kernel> {
    this.#requireThere();
    const pipeline = this.#pipelines.get(code) ?? (await this.#compile(code));
    this.#pipelines.set(code, pipeline);
    this.#device.pushErrorScope("validation");
    const group = this.#device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: regions.map((region, binding) => ({ binding, resource: sliceOf(region) })),
    });
    const error = await this.#device.popErrorScope();
    if (error) throw new DeviceError(`it refused buffers for a shader (${lineOf(error)})`);
    return { pipeline, group };
  }

  /** At once: others' work is not there yet when shaders are compiled. */
  async #compile(code: string): Promise<GPUComputePipeline> {
    const device = this.#device;
    device.pushErrorScope("validation");
    device.pushErrorScope("internal");
    const module = device.createShaderModule({ code });
    const pipeline = device.createComputePipeline({
      layout: "auto",
      compute: { module },
    });
    const errors = await Promise.all([device.popErrorScope(), device.popErrorScope()]);
    const error = errors.find((each) => each !== null);
    if (error) throw new DeviceError(`it refused a shader (${lineOf(error)})`);
    return pipeline;
  }

  /**
   * Does the work, and hands what is read back to `take`, for the length of that call alone.
   *
   * @throws DeviceError where the device was lost or refused something of it
   */
  async run(work: Work, take: Take = () => undefined): Promise<void> {
    this.#requireThere();
    await this.#queue.run(work, take);
  }

  /** Why it is; null while it is there. */
  get gone(): string | null {
    return this.#gone;
  }

  /** What it was sent so far. */
  get sent(): Sent {
    return this.#queue.sent;
  }

  /** Lets go of the device; what is under way is refused. */
  close(): void {
    this.#gone ??= "the device was closed";
    this.trim();
    this.#device.destroy();
    // Reachable until here: Dawn aborts a process whose instance is collected while it is used.
    void this.#chosen.gpu;
  }

  /** Before anything is asked of it. */
  #requireThere(): void {
    if (this.#gone !== null) throw new DeviceError(this.#gone);
    beginTurns();
  }

  #destroyOldest(): void {
    const { buffer } = this.#idle.shift()!;
    this.#destroy(buffer, buffer.size);
  }

  #destroy(buffer: GPUBuffer, size: number): void {
    buffer.destroy();
    this.#bytes -= size;
    this.#buffers--;
  }
}

/** Few sizes, so that buffers are used again; at most a sixteenth more than asked for of large ones. */
function pooledSize(bytes: number): number {
  const least = Math.max(256, bytes);
  if (least <= 2 ** 20) return 2 ** Math.ceil(Math.log2(least));
  const grain = 2 ** Math.max(20, Math.floor(Math.log2(least)) - 4);
  return Math.ceil(least / grain) * grain;
}

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
