/**
 * Shared memory through which one fit asks a device and waits for its answer.
 *
 * The fit's thread writes a request, a number and some words, and sleeps; the thread of the device
 * (`desk-thread.ts`) answers into the lane's own bytes, never into the arena: an answer that comes after its
 * fit gave up waiting harms nobody. A request that is refused is computed by the caller.
 */

/** Plain data: it crosses threads as it is. */
export interface Lane {
  /** i32: the words below, then the request's. */
  readonly words: Int32Array;
  /** Answers; it grows. */
  readonly answer: SharedArrayBuffer;
  /** For fewer cells (rows × features), or such, the CPU is faster than a way to the device. */
  readonly leastCells: number;
  /** How long an answer may take before the device counts as hung. */
  readonly patienceMs: number;
  /** The adapter's name, for fits whose bits depend on it. */
  readonly adapter: string;
  /** It takes whatever is worth one way, also where the whole is not expected to be faster by it. */
  readonly isAsked: boolean;
  /** It is the CPU, by a longer way. */
  readonly isSoftware: boolean;
  /** Where its device is lost another one goes on: not of fits whose bits depend on the device. */
  readonly mayPass: boolean;
  /** Of the arena that requests point into, for the desk: what was uploaded of it stays known. */
  readonly arenaId: number;
}

const STATE = 0;
const REQUEST = 1;
/** Of the record: requests answered and refused, and microseconds that were waited. */
const ANSWERED_COUNT = 2;
const REFUSED_COUNT = 3;
const WAITED = 4;
/** 1: the fit gave the device up, since no answer came. */
const HUNG = 5;
/** 1: an answer was wrong. */
const WRONG = 6;
/** Counts who served the lane: another device goes on where one is lost, and only the last one answers. */
const SERVER = 7;
const ARGUMENTS = 8;
const WORDS = 64;
const MOST_ARGUMENTS = WORDS - ARGUMENTS;

/*
 * A state is one of these and, above its lowest bits, a number that each request raises: an answer to an earlier
 * request changes nothing.
 */
const KIND = 7;
const NEXT = 8;
/** 0: nothing was asked yet. */
const ASKED = 1;
const ANSWERED = 2;
const REFUSED = 3;
const CLOSED = 4;

/** Address space of the answers; what is not grown into takes no memory. */
const MOST_ANSWER_BYTES = 2 ** 30;

const PATIENCE_MS = 60_000;
/** A device of software has the cores that are left to it, and compiles its shaders on them. */
const SOFTWARE_PATIENCE_MS = 300_000;

export function newLane(
  options: Pick<Lane, "leastCells" | "arenaId" | "adapter" | "isSoftware"> & Partial<Lane>,
): Lane {
  return {
    words: new Int32Array(new SharedArrayBuffer(WORDS * 4)),
    answer: new SharedArrayBuffer(0, { maxByteLength: MOST_ANSWER_BYTES }),
    patienceMs: options.isSoftware ? SOFTWARE_PATIENCE_MS : PATIENCE_MS,
    mayPass: false,
    isAsked: false,
    ...options,
  };
}

// Of the fit

/** Room for answers of so many bytes. False where there can be none. */
export function growAnswer({ answer }: Lane, bytes: number): boolean {
  if (bytes > MOST_ANSWER_BYTES) return false;
  if (bytes > answer.byteLength) answer.grow(bytes);
  return true;
}

/** Asks and waits. False where the device refused, or does not answer: then it is not asked again. */
export function ask(lane: Lane, request: number, values: readonly number[]): boolean {
  const { words } = lane;
  const state = Atomics.load(words, STATE);
  if (kindOf(state) === CLOSED) return false;
  const asked = ((state & ~KIND) + NEXT) | ASKED;
  words[REQUEST] = request;
  for (let i = 0; i < values.length; i++) words[ARGUMENTS + i] = values[i];
  const begun = performance.now();
  // A close that came in between stays: nobody would answer.
  if (Atomics.compareExchange(words, STATE, state, asked) !== state) return false;
  Atomics.notify(words, STATE);
  while (Atomics.load(words, STATE) === asked) {
    const left = lane.patienceMs - (performance.now() - begun);
    if (left <= 0) {
      if (Atomics.compareExchange(words, STATE, asked, CLOSED) !== asked) break;
      words[HUNG] = 1;
      return false;
    }
    Atomics.wait(words, STATE, asked, left);
  }
  words[WAITED] += Math.round((performance.now() - begun) * 1000);
  const isAnswered = kindOf(Atomics.load(words, STATE)) === ANSWERED;
  words[isAnswered ? ANSWERED_COUNT : REFUSED_COUNT]++;
  return isAnswered;
}

/** Whether it is worth asking: the lane was not closed. */
export function isOpen({ words }: Lane): boolean {
  return kindOf(Atomics.load(words, STATE)) !== CLOSED;
}

const kindOf = (state: number): number => state & KIND;

/** The device's answers are not to be trusted: it is not asked again. */
export function distrust({ words }: Lane): void {
  words[WRONG] = 1;
  Atomics.store(words, STATE, CLOSED);
  Atomics.notify(words, STATE);
}

// Of the device's thread

export type Answering = (request: number, values: Uint32Array, answer: Uint8Array) => Promise<void>;

/**
 * Answers requests until the lane is closed or passed on.
 *
 * @param server as `serverOf` says when the lane comes
 * @param answering rejects with why it refuses
 * @param refused is told so; false: the request is left to the one that the lane is passed on to
 */
export async function serveLane(
  { words, answer }: Lane,
  server: number,
  answering: Answering,
  refused: (error: unknown) => boolean,
): Promise<void> {
  for (;;) {
    const state = Atomics.load(words, STATE);
    if (kindOf(state) === CLOSED || Atomics.load(words, SERVER) !== server) return;
    if (kindOf(state) !== ASKED) {
      const waiting = Atomics.waitAsync(words, STATE, state);
      if (waiting.async) await waiting.value;
      continue;
    }
    let outcome = ANSWERED;
    try {
      const values = new Uint32Array(words.buffer, ARGUMENTS * 4, MOST_ARGUMENTS);
      await answering(words[REQUEST], values, new Uint8Array(answer));
    } catch (error) {
      outcome = REFUSED;
      if (!refused(error)) return;
    }
    // Whoever gave up in between has closed it.
    Atomics.compareExchange(words, STATE, state, (state & ~KIND) | outcome);
    Atomics.notify(words, STATE);
  }
}

// Of whoever made it

/** Which of those who serve the lane one after another is due. */
export function serverOf({ words }: Lane): number {
  return Atomics.load(words, SERVER);
}

/** Another serves it from now on; who did, does no more. */
export function passLane({ words }: Lane): void {
  Atomics.add(words, SERVER, 1);
  Atomics.notify(words, STATE);
}

export function closeLane({ words }: Lane): void {
  Atomics.store(words, STATE, CLOSED);
  Atomics.notify(words, STATE);
}

/** What came of a lane. */
export interface LaneRecord {
  readonly answered: number;
  readonly refused: number;
  readonly seconds: number;
  readonly isHung: boolean;
  readonly isWrong: boolean;
}

export function laneRecord({ words }: Lane): LaneRecord {
  return {
    answered: words[ANSWERED_COUNT],
    refused: words[REFUSED_COUNT],
    seconds: words[WAITED] / 1e6,
    isHung: words[HUNG] === 1,
    isWrong: words[WRONG] === 1,
  };
}
