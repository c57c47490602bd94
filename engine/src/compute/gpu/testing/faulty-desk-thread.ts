/**
 * A desk whose device fails: `?fault=…&after=…`, so many requests after its begin, `after=1,2,…` and `fault=…,…` of one
 * lane after the other. Faults are at the desk's boundary, where what a driver does wrong comes out.
 */

import { workerData } from "node:worker_threads";
import {
  RECORD_BIN,
  RECORD_LEFT_COUNT,
  RECORD_WORDS,
} from "../../../kernels/assembly/growing/record-layout.ts";
import {
  FOREST_NODE_WORDS,
  HEAD_STAMP,
  NODE_MISSING_LEFT,
  TREE_HEAD_WORDS,
} from "../../../shaders/forest-form.ts";
import { STATE_HEAD_WORDS, STATE_STAMP } from "../../../shaders/growth/layout.ts";
import { DRAWN_BYTES, GRADIENTS, LEAF_SUMS } from "../boosting-requests.ts";
import { type DeskThreadOptions, workDesk } from "../desk-work.ts";
import { DeviceError } from "../device-error.ts";
import { GROW_FOREST, READ_TREE } from "../forest-requests.ts";
import { READ_PARAMETERS } from "../network-requests.ts";
import { READ_SHAP, SHAP_HEAD } from "../shap-requests.ts";
import { SUM_ROWS, SUMS_HEAD } from "../sum-requests.ts";
import { GROW_TREE, HEAD_WORDS, NODE_HISTOGRAM, SPLIT_NODES } from "../tree-requests.ts";

export type Fault =
  | "refuse"
  | "lose"
  | "hang"
  | "crash"
  | "miscount"
  | "misjudge"
  | "misplace"
  | "misround"
  | "misdraw"
  | "mislead"
  | "forget"
  | "diverge";

const TREE_BYTES = 4 * TREE_HEAD_WORDS;
const NODE_BYTES = 4 * FOREST_NODE_WORDS;
/** Of a tree that was grown as a whole. */
const RECORDS_AT = 4 * STATE_HEAD_WORDS;
const RECORD_BYTES = 4 * RECORD_WORDS;

/** Null where only the types of this module are asked for. */
const options: DeskThreadOptions | null = workerData;
const asked = new URL(options?.module ?? import.meta.url).searchParams;
const faults = asked.get("fault")?.split(",") ?? null;
const after = (asked.get("after") ?? "0").split(",").map(Number);
let lanes = 0;

if (faults !== null) {
  await workDesk((answering, device) => {
    // The first lane is served, so that shaders are compiled before anybody's patience is tried.
    if (lanes++ === 0) return answering;
    let left = after[Math.min(lanes - 2, after.length - 1)]!;
    const fault = faults[Math.min(lanes - 2, faults.length - 1)]!;
    return async (request, values, answer) => {
      const isDue = left-- <= 0;
      const answers: readonly string[] = [
        ...[
          "miscount",
          "misjudge",
          "misplace",
          "misround",
          "misdraw",
          "mislead",
          "forget",
          "diverge",
        ],
      ];
      if (!isDue || answers.includes(fault)) {
        await answering(request, values, answer);
      }
      if (!isDue) return;
      switch (fault) {
        case "refuse":
          throw new DeviceError("it has no room for a buffer");
        case "lose":
          device.close();
          return answering(request, values, answer);
        case "hang":
          // Whoever looks sees that it was asked.
          answer.fill(1, 0, 1);
          return new Promise(() => undefined);
        case "crash":
          setImmediate(() => {
            throw new Error("the driver fell over");
          });
          return new Promise(() => undefined);
        case "miscount":
          // One row too many in the histogram's first entry.
          if (request === NODE_HISTOGRAM) answer[0]!++;
          // Or in the last bit of the first row's sum.
          if (request === SUM_ROWS) answer[SUMS_HEAD]! ^= 1;
          if (request === READ_SHAP) answer[SHAP_HEAD]! ^= 1;
          if (request === SPLIT_NODES) answer[4 * HEAD_WORDS * values[1]!]!++;
          // Or among those that went left at the root.
          if (request === GROW_TREE) answer[RECORDS_AT + 4 * RECORD_LEFT_COUNT]!++;
          // Or in the last bit of a tree's last sum.
          if (request === READ_TREE) answer[TREE_BYTES + NODE_BYTES * values[1]!]! ^= 1;
          return;
        case "misjudge":
          // Splits below the root by other bins than rows were parted by.
          if (request !== GROW_TREE) return;
          for (let i = 1; i < values[2]!; i++)
            answer[RECORDS_AT + RECORD_BYTES * i + 4 * RECORD_BIN]! ^= 1;
          return;
        case "misround":
          // In the last bit of the sum of gradients.
          if (request === GRADIENTS) answer[DRAWN_BYTES]! ^= 1;
          return;
        case "misdraw":
          // As of a bag that was never drawn: the stamp of another.
          if (request === GRADIENTS) answer[4]!++;
          return;
        case "mislead":
          // A row in another leaf.
          if (request === LEAF_SUMS) answer[0]!++;
          // Or another side for rows that no tree saw: all sums are right.
          if (request === READ_TREE) answer[TREE_BYTES + 4 * NODE_MISSING_LEFT]! ^= 1;
          return;
        case "forget":
          // As of memory that was never written.
          answer.fill(0);
          return;
        case "diverge":
          // A parameter that is no number.
          if (request === READ_PARAMETERS) answer.fill(255, 16, 20);
          return;
        case "misplace":
          // As of work that was never done: the stamp of another split.
          if (request === GROW_FOREST) answer[4 * HEAD_STAMP]!++;
          if (request === GROW_TREE) answer[4 * STATE_STAMP]!++;
          if ([SPLIT_NODES, SUM_ROWS, READ_SHAP].includes(request)) answer[4]!++;
          return;
      }
    };
  });
}
