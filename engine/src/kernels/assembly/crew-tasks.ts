/** What helpers of a fit do. */

import { awaitUnit, finishUnit, OFFERED_AHEAD, OFFERED_TREE } from "./crew/crew";
import {
  DRAW_BAG,
  DRAW_BY_GRADIENT,
  FOLLOW,
  GATHER,
  GROW_TREES,
  GROWER,
  HISTOGRAM,
  LAST_ROW_TASK,
  LEAF_COVERS,
  LEAF_SCORES,
  LEAF_SUMS,
  MARKED_SCORES,
  MARKED_SUMS,
  PARTITION,
  SCAN,
  SUM_ROOT,
  TASK,
} from "./crew/crew-layout";
import { helpForest } from "./forests/crew";
import { helpAhead } from "./growing/ahead";
import { helpClassTrees } from "./growing/class-trees";
import { followUnit } from "./growing/follow-tree";
import { markedUnit } from "./growing/marked-leaves";
import { leafCoversUnit, leafRowsUnit } from "./growing/shared-leaves";
import {
  gatherUnit,
  histogramUnit,
  partitionUnit,
  rootUnit,
  searchUnit,
} from "./growing/shared-nodes";
import { drawUnit, rowUnit } from "./losses/row-tasks";

function doUnit(crew: usize, unit: i32, place: i32): void {
  const task = load<i32>(crew, TASK);
  const p = usize(load<u32>(crew, GROWER));
  if (task <= LAST_ROW_TASK) {
    rowUnit(crew, task, unit);
    return;
  }
  switch (task) {
    case DRAW_BAG:
    case DRAW_BY_GRADIENT:
      drawUnit(crew, task, unit);
      return;
    case SUM_ROOT:
      rootUnit(p, unit);
      return;
    case PARTITION:
      partitionUnit(crew, p, unit);
      return;
    case GATHER:
      gatherUnit(crew, p, unit);
      return;
    case HISTOGRAM:
      histogramUnit(crew, p, unit, place);
      return;
    case SCAN:
      searchUnit(crew, p, unit, place);
      return;
    case LEAF_SUMS:
      leafRowsUnit(crew, p, unit, false);
      return;
    case LEAF_COVERS:
      leafCoversUnit(crew, p, unit);
      return;
    case LEAF_SCORES:
      leafRowsUnit(crew, p, unit, true);
      return;
    case FOLLOW:
      followUnit(crew, p, unit, place);
      return;
    case MARKED_SUMS:
      markedUnit(crew, p, unit, place, false);
      return;
    case MARKED_SCORES:
      markedUnit(crew, p, unit, place, true);
      return;
  }
}

/**
 * Does up to `most` units of the jobs that a leader opens. Returns how many; fewer than `most` where none
 * came for a while.
 *
 * @param place of the helper's working memory, from 1; no two helpers share one
 */
export function helpCrew(crew: usize, place: i32, most: i32): i32 {
  if (load<i32>(crew, TASK) === GROW_TREES) {
    // A bit of a tree takes as long as many units.
    return helpForest(crew, usize(load<u32>(crew, GROWER)), place) ? most : 0;
  }
  for (let done = 0; done < most; done++) {
    const unit = awaitUnit(crew, place);
    if (unit === OFFERED_TREE) {
      if (helpClassTrees(crew, place)) return most;
      continue;
    }
    if (unit === OFFERED_AHEAD) {
      // It takes as long as many units.
      if (helpAhead(crew, place)) return most;
      continue;
    }
    if (unit < 0) return done;
    doUnit(crew, unit, place);
    finishUnit(crew);
  }
  return most;
}
