/** Rows that a tree did not learn from, taken down its splits. */

import { claimUnit, joinJob, openJob, tell, told } from "../crew/crew";
import { FOLLOW } from "../crew/crew-layout";
import {
  COLUMN_MAJOR,
  COLUMN_STRIDE,
  CREW,
  FOLLOWERS,
  OUT_FEATURE,
  OUT_LEFT,
  OUT_SPLIT,
  OUT_VALUE,
  ROWS_SCRATCH,
  TABLE,
  VALUE_BINS,
} from "./layout";
import { addValue, recordAt } from "./leaf-values";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { Node } from "./nodes";
import { fillTable, partition } from "./partition";
import { rangesOf, scratchOf } from "./places";
import { sizeOfUnit, startOfUnit, unitsOfRows } from "./shared-nodes";

/**
 * Takes rows that the tree did not learn from (out of the bag, or held out) down its splits and
 * adds the leaves' values to their scores. All rows of a node move together, as in growing: no
 * row waits for its own chain of nodes.
 *
 * @param source u32 rows, not changed
 */
export function followTree(p: usize, nodes: i32, source: usize, count: i32, scores: usize): void {
  const units = unitsOfRows(p, count);
  if (units < 2) {
    followRows(p, nodes, source, 0, count, scores, 0);
    return;
  }
  const crew = usize(load<u32>(p, CREW));
  tell(crew, 0, nodes);
  tell(crew, 1, source);
  tell(crew, 2, count);
  tell(crew, 3, scores);
  openJob(crew, FOLLOW, p, units);
  let begun = units;
  for (let unit = claimUnit(crew); unit >= 0; unit = claimUnit(crew)) {
    followUnit(crew, p, unit, 0);
    begun--;
  }
  joinJob(crew, begun);
}

export function followUnit(crew: usize, p: usize, unit: i32, place: i32): void {
  const count = i32(told(crew, 2));
  followRows(
    p,
    i32(told(crew, 0)),
    told(crew, 1),
    startOfUnit(p, count, unit),
    sizeOfUnit(p, count, unit),
    told(crew, 3),
    place,
  );
}

/** Some of the rows, by the thread of a place. */
function followRows(
  p: usize,
  nodes: i32,
  source: usize,
  from: i32,
  count: i32,
  scores: usize,
  place: i32,
): void {
  const offset = usize(from) << 2;
  const rows = usize(load<u32>(p, FOLLOWERS)) + offset;
  const ranges = rangesOf(p, place);
  const features = usize(load<u32>(p, OUT_FEATURE));
  const splits = usize(load<u32>(p, OUT_SPLIT));
  const table = scratchOf(p, place) + TABLE;
  memory.copy(rows, source + offset, usize(count) << 2);
  store<u32>(ranges, 0);
  store<u32>(ranges, u32(count), 4);
  for (let i = 0; i < nodes; i++) {
    const node = recordAt(p, i);
    const at = usize(i) << 2;
    const reached = load<u32>(ranges + (at << 1), 4);
    const start = rows + (usize(load<u32>(ranges + (at << 1))) << 2);
    const feature = load<i32>(features + at);
    if (feature < 0) {
      const value = load<f64>(usize(load<u32>(p, OUT_VALUE)) + (at << 1));
      addValue(start, start + (usize(reached) << 2), scores, value);
      continue;
    }
    let goesLeft: u32 = 0;
    if (reached > 0) {
      fillTable(
        table,
        load<i32>(splits + at),
        load<i32>(usize(load<u32>(p, VALUE_BINS)) + (usize(feature) << 2)),
        node.missingLeft,
        node.categorical,
        changetype<usize>(node) + offsetof<Node>("set0"),
      );
      goesLeft = u32(
        partition(
          start,
          i32(reached),
          usize(load<u32>(p, ROWS_SCRATCH)) + offset,
          usize(load<u32>(p, COLUMN_MAJOR)) + usize(feature) * usize(load<u32>(p, COLUMN_STRIDE)),
          table,
        ),
      );
    }
    const left = ranges + (usize(load<i32>(usize(load<u32>(p, OUT_LEFT)) + at)) << 3);
    store<u32>(left, load<u32>(ranges + (at << 1)));
    store<u32>(left, goesLeft, 4);
    store<u32>(left, load<u32>(ranges + (at << 1)) + goesLeft, 8);
    store<u32>(left, reached - goesLeft, 12);
  }
}
