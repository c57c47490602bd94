/**
 * Threads that share the work of one fit.
 *
 * The leader opens a job of so many units; it and whoever helps then claim units, one by one, until
 * none is left. A helper that comes late, or never, costs nothing: the leader does what nobody has
 * begun, and waits for begun units alone. Kernels for memory that threads do not share have no
 * helpers, and no leader ever asks for them.
 */

import {
  AHEAD_DONE,
  ALONE,
  ARGUMENTS,
  CLAIM,
  COUNTS,
  DONE,
  GROWER,
  JOB,
  LAST_JOB,
  LEADER_WAITS,
  OFFERS,
  PRESENT,
  SLEEPING,
  TASK,
  TREE_CLAIM,
  TREE_SEATS,
  TREES_DONE,
} from "./crew-layout";

/** Of the engine: waits a moment until the word at an offset is as large. Throws where a helper is gone for good. */
declare function awaitCrew(crew: usize, least: i32, word: i32): void;

/** Looks at shared memory before a thread gives its core away: some tens of microseconds. */
const LOOKS: i32 = 20000;

/**
 * Whether anybody helps with a job. A small one is not worth waking a thread.
 *
 * A helper that lost its core amid a unit holds the leader up: after each such wait the next jobs are
 * done alone, more of them the longer it was.
 */
export function isHelped(crew: usize, isLarge: bool): bool {
  if (ASC_FEATURE_THREADS) {
    if (crew === 0) return false;
    const alone = load<i32>(crew, ALONE);
    if (alone > 0) {
      store<i32>(crew, alone - 1, ALONE);
      return false;
    }
    const present = atomic.load<i32>(crew, PRESENT);
    return present > (isLarge ? 0 : atomic.load<i32>(crew, SLEEPING));
  }
  return false;
}

/** Threads that help now, awake or not. */
export function presentHelpers(crew: usize): i32 {
  if (ASC_FEATURE_THREADS) return crew === 0 ? 0 : atomic.load<i32>(crew, PRESENT);
  return 0;
}

/** What the leader tells of the next job; before `openJob`. */
export function tell(crew: usize, argument: i32, value: usize): void {
  store<u32>(crew + ARGUMENTS + (usize(argument) << 2), u32(value));
}

export function told(crew: usize, argument: i32): usize {
  return usize(load<u32>(crew + ARGUMENTS + (usize(argument) << 2)));
}

/** The place for what a unit tells. */
export function countAt(crew: usize, unit: i32): usize {
  return crew + COUNTS + (usize(unit) << 2);
}

/** Offers a job to helpers. All of the last one must be done. Returns the job's number. */
export function openJob(crew: usize, task: i32, grower: usize, units: i32): i32 {
  let job = 0;
  if (ASC_FEATURE_THREADS) {
    store<i32>(crew, task, TASK);
    store<u32>(crew, u32(grower), GROWER);
    atomic.store<i32>(crew, 0, DONE);
    job = (load<i32>(crew, JOB) + 1) & LAST_JOB;
    atomic.store<u64>(crew, (u64(job) << 32) | (u64(units) << 16), CLAIM);
    if (atomic.load<i32>(crew, SLEEPING) > 0) atomic.notify(crew + JOB, -1);
  }
  return job;
}

/** A unit that the caller, and nobody else, is to do; -1 when all are begun. */
export function claimUnit(crew: usize): i32 {
  if (ASC_FEATURE_THREADS) {
    for (;;) {
      const word = atomic.load<u64>(crew, CLAIM);
      const next = word & 0xffff;
      if (next >= ((word >> 16) & 0xffff)) return -1;
      if (atomic.cmpxchg<u64>(crew, word, word + 1, CLAIM) === word) return i32(next);
    }
  }
  return -1;
}

/** Waits for the units that the leader has not done itself. */
export function joinJob(crew: usize, begun: i32): void {
  if (ASC_FEATURE_THREADS) {
    for (let look = 0; atomic.load<i32>(crew, DONE) < begun; look++) {
      if (look >= LOOKS) {
        awaitCrew(crew, begun, DONE);
        look = 0;
      }
    }
  }
}

/** The number of the job that is open; for helpers that have a unit of it. */
export function openedJob(crew: usize): i32 {
  return load<i32>(crew, JOB);
}

/** Adds to a sum that others add to as well. */
export function addShared(at: usize, value: i64): void {
  if (ASC_FEATURE_THREADS) atomic.add<i64>(at, value);
  else store<i64>(at, load<i64>(at) + value);
}

/** Says that a helper has finished its unit. */
export function finishUnit(crew: usize): void {
  if (ASC_FEATURE_THREADS) {
    atomic.add<i32>(crew, 1, DONE);
    if (atomic.load<i32>(crew, LEADER_WAITS) !== 0) atomic.notify(crew + DONE, 1);
  }
}

/** In the place of a unit: a split ahead is offered, or a tree. */
export const OFFERED_AHEAD: i32 = -2;
export const OFFERED_TREE: i32 = -3;

/** Whether a helper of a place may begin a tree of the round. */
function isTreeOffered(crew: usize, place: i32): bool {
  if (ASC_FEATURE_THREADS) {
    const word = atomic.load<u32>(crew, TREE_CLAIM);
    return (word & 0xffff) < word >> 16 && place <= load<i32>(crew, TREE_SEATS);
  }
  return false;
}

/** Of a helper: a tree of the round that it, and nobody else, is to grow; -1 when all are begun that helpers may. */
export function claimTree(crew: usize): i32 {
  if (ASC_FEATURE_THREADS) {
    for (;;) {
      const word = atomic.load<u32>(crew, TREE_CLAIM);
      if ((word & 0xffff) >= word >> 16) return -1;
      if (atomic.cmpxchg<u32>(crew, word, word + 1, TREE_CLAIM) === word) return i32(word & 0xffff);
    }
  }
  return -1;
}

/** Says that a helper has grown a tree. */
export function finishClassTree(crew: usize): void {
  if (ASC_FEATURE_THREADS) {
    atomic.add<i32>(crew, 1, TREES_DONE);
    if (atomic.load<i32>(crew, LEADER_WAITS) !== 0) atomic.notify(crew + TREES_DONE, 1);
  }
}

/**
 * Looks for a unit for a while. -1 where none came. Whole trees come first, then splits ahead: a job goes on without the
 * helper, and it joins that when none is offered any more.
 */
export function awaitUnit(crew: usize, place: i32): i32 {
  for (let look = 0; look < LOOKS; look++) {
    if (isTreeOffered(crew, place)) return OFFERED_TREE;
    if (ASC_FEATURE_THREADS) {
      if (atomic.load<i32>(crew, OFFERS) > 0) return OFFERED_AHEAD;
    }
    const unit = claimUnit(crew);
    if (unit >= 0) return unit;
  }
  return -1;
}

/** Splits ahead that helpers have made so far. */
export function doneAhead(crew: usize): i32 {
  if (ASC_FEATURE_THREADS) return atomic.load<i32>(crew, AHEAD_DONE);
  return 0;
}

/** Says that a helper has made a split ahead. */
export function finishAhead(crew: usize): void {
  if (ASC_FEATURE_THREADS) {
    atomic.add<i32>(crew, 1, AHEAD_DONE);
    if (atomic.load<i32>(crew, LEADER_WAITS) !== 0) atomic.notify(crew + AHEAD_DONE, 1);
  }
}

/** Waits a moment until helpers have made more splits ahead than `done`. */
export function joinAhead(crew: usize, done: i32): void {
  if (ASC_FEATURE_THREADS) {
    for (let look = 0; atomic.load<i32>(crew, AHEAD_DONE) === done; look++) {
      if (look < LOOKS) continue;
      awaitCrew(crew, done + 1, AHEAD_DONE);
      return;
    }
  }
}

/** Wakes helpers that sleep, where there is something to do that is not a unit of a job. */
export function wakeHelpers(crew: usize): void {
  if (ASC_FEATURE_THREADS) {
    if (atomic.load<i32>(crew, SLEEPING) === 0) return;
    // One that is about to sleep does not, since the number of the job is another.
    atomic.store<i32>(crew, (load<i32>(crew, JOB) + 1) & LAST_JOB, JOB);
    atomic.notify(crew + JOB, -1);
  }
}
