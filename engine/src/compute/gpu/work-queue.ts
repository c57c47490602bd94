/**
 * Sends work to a device and reads back. What several fits ask for while the device is busy goes there as one
 * submission, as databases commit in groups: nobody's readback is waited for by others, and the number of
 * submissions follows the device's pace and not the number of fits. Steps that are shared do the work of several fits by the
 * same dispatches: they wait a little for those that are to come, since a device that has few rows takes as long for one
 * fit as for many.
 */

import { setImmediate } from "node:timers";
import { DeviceError, lineOf } from "./device-error.ts";
import { Paces, type Share } from "./shared-steps.ts";
import { type Step, sliceOf } from "./steps.ts";

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
  readonly #paces = new Paces();
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
    const went = this.#paces.begin(sharesOf(jobs));
    try {
      await this.#submit(jobs);
    } finally {
      this.#underWay--;
      went.end();
      this.#schedule();
    }
  }

  /** Nothing where all who wait are to wait for others. */
  #next(): Job[] {
    let least = Number.POSITIVE_INFINITY;
    const shares = sharesOf(this.#waiting);
    for (const { work } of this.#waiting) {
      const shared = work.share?.of;
      const patience = shared ? this.#paces.patienceOf(shared, shares) : 0;
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

const sharesOf = (jobs: readonly Job[]): Share[] => jobs.flatMap(({ work }) => work.share ?? []);

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
