/** Bins in the order of their keys. */

/** Fewer are sorted by insertion alone. */
const DEALT = 24;
/** Within the working memory: bins as they were dealt, behind the numbers of piles. */
const DEALT_BINS: usize = 640;

/**
 * Sorts a list of bins (i32) by ascending key, stably. Many are dealt on as many piles of equal width first, which
 * leaves insertion next to nothing to move.
 *
 * @param count at most 256
 * @param keys f64 a bin, none of them NaN
 * @param spare of 1024 bytes
 */
export function sortBins(list: usize, count: i32, keys: usize, spare: usize): void {
  if (count >= DEALT) deal(list, count, keys, spare);
  for (let i = 1; i < count; i++) {
    const bin = load<i32>(list + (usize(i) << 2));
    const key = load<f64>(keys + (usize(bin) << 3));
    let at = i;
    while (at > 0 && keyAt(list, at - 1, keys) > key) {
      store<i32>(list + (usize(at) << 2), load<i32>(list + (usize(at - 1) << 2)));
      at--;
    }
    store<i32>(list + (usize(at) << 2), bin);
  }
}

/** @inline */
function keyAt(list: usize, at: i32, keys: usize): f64 {
  return load<f64>(keys + (usize(load<i32>(list + (usize(at) << 2))) << 3));
}

/** Leaves the list as it was where keys are equal or too far apart for piles. */
function deal(list: usize, count: i32, keys: usize, spare: usize): void {
  let least = Infinity;
  let most = -Infinity;
  for (let i = 0; i < count; i++) {
    const key = keyAt(list, i, keys);
    least = min(least, key);
    most = max(most, key);
  }
  const piles = f64(count - 1) / (most - least);
  if (!(piles > 0 && piles < Infinity)) return;
  // Where each pile begins, one place further on.
  memory.fill(spare, 0, (usize(count) + 1) << 1);
  for (let i = 0; i < count; i++) {
    const place = spare + 2 + (usize(i32((keyAt(list, i, keys) - least) * piles)) << 1);
    store<u16>(place, load<u16>(place) + 1);
  }
  for (let i = 1; i < count; i++) {
    const place = spare + (usize(i) << 1);
    store<u16>(place, load<u16>(place) + load<u16>(place - 2));
  }
  for (let i = 0; i < count; i++) {
    const bin = load<i32>(list + (usize(i) << 2));
    const pile = i32((load<f64>(keys + (usize(bin) << 3)) - least) * piles);
    const place = spare + (usize(pile) << 1);
    const at = load<u16>(place);
    store<u16>(place, at + 1);
    store<u8>(spare + DEALT_BINS + usize(at), u8(bin));
  }
  for (let i = 0; i < count; i++) {
    store<i32>(list + (usize(i) << 2), load<u8>(spare + DEALT_BINS + usize(i)));
  }
}
