/** Working memory of the threads that grow a tree: place 0 is the leader's, others are helpers'. */

import {
  BLOCK,
  HISTOGRAM_ENTRIES,
  PLACE_BLOCK,
  PLACE_BYTES,
  PLACE_HISTOGRAM,
  PLACE_JOB,
  PLACE_RANGES,
  PLACES,
  RANGES,
  SCRATCH,
} from "./layout";
import { pointer } from "./unsplit";

function placeAt(p: usize, place: i32): usize {
  return pointer(p, PLACES) + usize(place - 1) * pointer(p, PLACE_BYTES);
}

export function scratchOf(p: usize, place: i32): usize {
  return place === 0 ? pointer(p, SCRATCH) : placeAt(p, place);
}

export function blockOf(p: usize, place: i32): usize {
  return place === 0 ? pointer(p, BLOCK) : placeAt(p, place) + pointer(p, PLACE_BLOCK);
}

export function rangesOf(p: usize, place: i32): usize {
  return place === 0 ? pointer(p, RANGES) : placeAt(p, place) + PLACE_RANGES;
}

/** Of a helper. */
export function histogramOf(p: usize, place: i32): usize {
  return placeAt(p, place) + pointer(p, PLACE_HISTOGRAM);
}

/** Whether the helper's histogram holds rows of that job. */
export function holdsJob(p: usize, place: i32, job: i32): bool {
  return load<i32>(placeAt(p, place), PLACE_JOB) === job;
}

/** The helper's histogram, which is cleared where it holds rows of another job. */
export function histogramForJob(p: usize, place: i32, job: i32): usize {
  const histogram = histogramOf(p, place);
  if (!holdsJob(p, place, job)) {
    memory.fill(histogram, 0, usize(load<u32>(p, HISTOGRAM_ENTRIES)) << 3);
    store<i32>(placeAt(p, place), job, PLACE_JOB);
  }
  return histogram;
}
