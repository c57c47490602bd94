/**
 * Sends work to a device and reads back. What several fits ask for while the device is busy goes there as one
 * submission, as databases commit in groups: nobody's readback is waited for by others, and the number of
 * submissions follows the device's pace and not the number of fits. Steps that are shared do the work of several fits by the
 * same dispatches: they wait a little for those that are to come, since a device that has few rows takes as long for one
 * fit as for many.
 */

import { setImmediate } from "node:timers";
import { DeviceError, lineOf } from "./device-error.ts";

/** A shader with its buffers, ready to be run. */
export interface Kernel {
  readonly pipeline: GPUComputePipeline;
  readonly group: GPUBindGroup;
}

/** Part of a buffer, from a byte on. */
export interface Slice {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number;
}

/** A buffer, or part of one that others have parts of. */
export type Region = GPUBuffer | Slice;

export const sliceOf = (region: Region): Slice =>
  "buffer" in region ? region : { buffer: region, offset: 0, size: region.size };

/** What is done one after another. */
export type Step =
  | { readonly kernel: Kernel; readonly groups: readonly [x: number, y?: number] }
  | { readonly clear: Region; readonly bytes: number }
  | {
      readonly copy: Region;
      readonly from: number;
      readonly to: Region;
      readonly at: number;
      readonly bytes: number;
    };

/** Steps that works of several fits have in common. Those of one kind are sent one after another. */
export interface SharedSteps {
  /** Whether a fit may still come to wait for them. It has one work at most that waits. */
  has(fit: object): boolean;
  /** Of all that entered since it was asked last. */
  steps(): Step[];
}

/** What a work shares. */
export interface Share {
  readonly of: SharedSteps;
  /** Whose it is. */
  readonly by: object;
  /** Has the next steps do this work's part as well. */
  enter(): void;
}

/** Work for the device, and what of it is read back. */
export interface Work {
  readonly steps: readonly Step[];
  /** What is done behind the steps, together with others, and what behind that. */
  readonly share?: Share;
  readonly after?: readonly Step[];
  /** A buffer for reading back, and its bytes from 0 on. */
  readonly read?: { readonly buffer: GPUBuffer; readonly bytes: number };
}

/** Handed what was read back, for the length of the call alone. */
export type Take = (bytes: ArrayBuffer) => void;

/** What was sent so far. */
export interface Sent {
  readonly works: number;
  readonly submissions: number;
}

interface Job {
  readonly work: Work;
  readonly take: Take;
  readonly ended: PromiseWithResolvers<void>;
}

/** How steps that are shared go. */
interface Pace {
  readonly isUnderWay: boolean;
  /** The fits that the last ones were of: they are waited for, since fits that are answered together ask again together. */
  readonly last: ReadonlySet<object>;
  /** When and for how long. */
  readonly ended: number;
  readonly patienceMs: number;
}

/** Of what the last ones took: fits that do something else for longer are waited for once. */
const PATIENCE = 2;
const MOST_PATIENCE_MS = 20;

/** The second lies in the device's queue when the first ends, so that it is never idle in between. */
const MOST_UNDER_WAY = 2;

/** Longer work goes alone: what goes with it would come back no earlier than it. */
const MOST_STEPS_TOGETHER = 64;

/** Of longer work: they are sent before the rest of it, of which 133 dispatches took .9 ms to write down and send. */
const FIRST_STEPS = 16;

const MAP_MODE_READ = 1;

export class WorkQueue {
  readonly #device: GPUDevice;
  readonly #gone: () => string | null;
  readonly #waiting: Job[] = [];
  readonly #paces = new WeakMap<SharedSteps, Pace>();
  #underWay = 0;
  #isDue = false;
  #works = 0;
  #submissions = 0;

  /** @param gone why the device is; null while it is there */
  constructor(device: GPUDevice, gone: () => string | null) {
    this.#device = device;
    this.#gone = gone;
  }

  get sent(): Sent {
    return { works: this.#works, submissions: this.#submissions };
  }

  /** @throws DeviceError where the device was lost or refused something of it */
  async run(work: Work, take: Take): Promise<void> {
    const most = this.#device.limits.maxComputeWorkgroupsPerDimension;
    for (const step of work.steps) {
      if (!("kernel" in step)) continue;
      const [x, y = 1] = step.groups;
      const groups = Math.max(x, y);
      if (groups > most) {
        throw new DeviceError(`${groups} workgroups are more than its limit of ${most}`);
      }
    }
    const ended = Promise.withResolvers<void>();
    this.#waiting.push({ work, take, ended });
    this.#works++;
    this.#schedule();
    await ended.promise;
  }

  /** Once all who were answered together had their turn to ask again. */
  #schedule(): void {
    if (this.#isDue || this.#underWay >= MOST_UNDER_WAY || this.#waiting.length === 0) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      void this.#sendNext();
    });
  }

  async #sendNext(): Promise<void> {
    const jobs = this.#next();
    if (jobs.length === 0) return;
    this.#underWay++;
    this.#schedule();
    const shared = jobs[0]!.work.share?.of;
    const begun = performance.now();
    const last = new Set(jobs.flatMap(({ work }) => work.share?.by ?? []));
    if (shared) this.#paces.set(shared, { isUnderWay: true, last, ended: begun, patienceMs: 0 });
    try {
      await this.#submit(jobs);
    } finally {
      this.#underWay--;
      if (shared) {
        const ended = performance.now();
        const patienceMs = Math.min(MOST_PATIENCE_MS, PATIENCE * (ended - begun));
        this.#paces.set(shared, { isUnderWay: false, last, ended, patienceMs });
      }
      this.#schedule();
    }
  }

  /** Nothing where all who wait are to wait for others. */
  #next(): Job[] {
    let least = Number.POSITIVE_INFINITY;
    for (const { work } of this.#waiting) {
      const shared = work.share?.of;
      const patience = shared ? this.#patienceOf(shared) : 0;
      least = Math.min(least, patience);
      if (patience > 0) continue;
      const alike = this.#waiting.filter((job) => job.work.share?.of === shared);
      const jobs = shared ? alike : together(alike);
      for (const job of jobs) this.#waiting.splice(this.#waiting.indexOf(job), 1);
      return jobs;
    }
    if (Number.isFinite(least)) setTimeout(() => this.#schedule(), least);
    return [];
  }

  /** For how many milliseconds those who share these steps still wait for others; infinite: until those before them are done. */
  #patienceOf(shared: SharedSteps): number {
    const pace = this.#paces.get(shared);
    if (!pace) return 0;
    if (pace.isUnderWay) return Number.POSITIVE_INFINITY;
    const here = new Set(this.#waiting.flatMap(({ work }) => work.share?.by ?? []));
    const isMissing = [...pace.last].some((fit) => shared.has(fit) && !here.has(fit));
    return isMissing ? pace.ended + pace.patienceMs - performance.now() : 0;
  }

  /** Settles every job. */
  async #submit(jobs: readonly Job[]): Promise<void> {
    const device = this.#device;
    this.#submissions++;
    for (const filter of ["validation", "out-of-memory", "internal"] as const) {
      device.pushErrorScope(filter);
    }
    const thrown = attempted(() => {
      for (const steps of parted(jobs)) device.queue.submit([encoded(device, steps)]);
    });
    const scopes = Array.from({ length: 3 }, () => device.popErrorScope());
    const ends = thrown === null ? jobs.map(({ work }) => this.#endOf(work)) : [];
    const [internal, memory, invalid] = await Promise.all(scopes.map(reported));
    const outcomes = await Promise.all(ends.map(refused));
    if (invalid !== null && jobs.length > 1 && this.#gone() === null) {
      // Nothing of it was done; who is at fault shows when each goes alone.
      for (const { work } of jobs) unmap(work);
      for (const job of jobs) await this.#submit([job]);
      return;
    }
    const refusal = thrown ?? internal ?? memory ?? invalid;
    jobs.forEach((job, i) => {
      const gone = this.#gone();
      if (gone !== null) job.ended.reject(new DeviceError(gone));
      else if (refusal !== null) {
        job.ended.reject(new DeviceError(`it refused the work (${lineOf(refusal)})`));
      } else if (outcomes[i] !== null) {
        job.ended.reject(new DeviceError(`it did not end its work (${lineOf(outcomes[i])})`));
      } else hand(job);
      unmap(job.work);
    });
  }

  #endOf({ read }: Work): Promise<unknown> {
    return read
      ? read.buffer.mapAsync(MAP_MODE_READ, 0, read.bytes)
      : this.#device.queue.onSubmittedWorkDone();
  }
}

function hand({ work: { read }, take, ended }: Job): void {
  try {
    if (read) take(read.buffer.getMappedRange(0, read.bytes));
    ended.resolve();
  } catch (error) {
    ended.reject(error);
  }
}

/** The first ones of those that wait, as many as go together. */
function together(jobs: readonly Job[]): Job[] {
  let steps = 0;
  const end = jobs.findIndex(({ work }, i) => {
    steps += work.steps.length;
    return i > 0 && steps > MOST_STEPS_TOGETHER;
  });
  return jobs.slice(0, end < 0 ? jobs.length : end);
}

/** Of works that share the same steps, or none. */
function stepsOf(jobs: readonly Job[]): Step[] {
  for (const { work } of jobs) work.share?.enter();
  return [
    ...jobs.flatMap(({ work }) => work.steps),
    ...(jobs[0]!.work.share?.of.steps() ?? []),
    ...jobs.flatMap(({ work }) => work.after ?? []),
  ];
}

/** The device begins with a long work while the rest of it is written down. Of several works each is to be refused as a whole. */
function parted(jobs: readonly Job[]): (readonly Step[])[] {
  const steps = stepsOf(jobs);
  if (jobs.length > 1 || steps.length <= MOST_STEPS_TOGETHER) return [steps];
  return [steps.slice(0, FIRST_STEPS), steps.slice(FIRST_STEPS)];
}

/** Dispatches that follow each other share a pass: each still sees what those before it wrote. */
function encoded(device: GPUDevice, steps: readonly Step[]): GPUCommandBuffer {
  const encoder = device.createCommandEncoder();
  let pass: GPUComputePassEncoder | null = null;
  for (const step of steps) {
    if ("kernel" in step) {
      const [x, y = 1] = step.groups;
      pass ??= encoder.beginComputePass();
      pass.setPipeline(step.kernel.pipeline);
      pass.setBindGroup(0, step.kernel.group);
      pass.dispatchWorkgroups(x, y);
      continue;
    }
    pass?.end();
    pass = null;
    if ("clear" in step) {
      const { buffer, offset } = sliceOf(step.clear);
      encoder.clearBuffer(buffer, offset, step.bytes);
      continue;
    }
    const from = sliceOf(step.copy);
    const to = sliceOf(step.to);
    const [start, end] = [from.offset + step.from, to.offset + step.at];
    encoder.copyBufferToBuffer(from.buffer, start, to.buffer, end, step.bytes);
  }
  pass?.end();
  return encoder.finish();
}

function unmap({ read }: Work): void {
  if (read?.buffer.mapState === "mapped") read.buffer.unmap();
}

/** Null, or what was thrown. */
function attempted(action: () => void): unknown {
  try {
    action();
    return null;
  } catch (error) {
    return error ?? "no reason given";
  }
}

/** Null, or with what it was rejected. */
const refused = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error ?? "no reason given",
  );

/** What a scope caught; null: nothing. */
const reported = (scope: Promise<GPUError | null>): Promise<unknown> =>
  scope.catch((error: unknown) => error ?? "no reason given");
