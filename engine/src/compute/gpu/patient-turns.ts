/**
 * Dawn asks its device for answers in every turn of the thread's loop (by the global `setImmediate`), which takes
 * a core for as long as anything is awaited. A device of software computes on that very core: it is asked a few
 * times at once, since most answers are there by then, and from then on after rests.
 */

const TURNS_AT_ONCE = 16;
const REST_MS = 1;

let turns = 0;

/** Something was asked of the device. */
export function beginTurns(): void {
  turns = 0;
}

/** For all the rest of a thread that holds a device of software and does nothing else. */
export function restBetweenTurns(): void {
  const atOnce = globalThis.setImmediate;
  const patient = (callback: () => void): NodeJS.Immediate | NodeJS.Timeout =>
    turns++ < TURNS_AT_ONCE ? atOnce(callback) : setTimeout(callback, REST_MS);
  Object.assign(globalThis, { setImmediate: patient });
}
