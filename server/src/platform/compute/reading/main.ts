/** The process that reads tables for the service, one after the other: paths come, what they hold goes. */

import {
  describeThrown,
  inspect,
  planFile,
  type StoreInput,
  storedRows,
  storeTable,
} from "@distillery/engine/reading";
import { z } from "zod";
import { ChildPipe } from "../../processes/child-pipe.ts";
import { refuseNetwork } from "../../processes/no-network.ts";
import {
  MAX_READING_FRAME_BYTES,
  PIECE_BYTES,
  type ReadingAnswer,
  type ReadingResults,
  type ReadingTask,
  type StoredInspection,
} from "./messages.ts";

const requestSchema = z.object({
  id: z.int(),
  // The service is believed what it asks.
  request: z.custom<ReadingTask>((value) => typeof value === "object" && value !== null),
});

refuseNetwork();

const pipe = new ChildPipe(MAX_READING_FRAME_BYTES, ({ payload }) => {
  const { id, request } = requestSchema.parse(JSON.parse(payload.toString("utf8")));
  // An answer that cannot be sent ends the process, as an unhandled rejection.
  void answer(request).then((said) => pipe.sendMessage({ id, answer: said }));
});

async function resultOf(task: ReadingTask): Promise<ReadingResults[ReadingTask["kind"]]> {
  switch (task.kind) {
    case "inspect":
      return inspect(task.input);
    case "store":
      return stored(task.input);
    case "plan":
      return planFile(task.input);
    case "rows":
      return storedRows(task.input);
  }
}

async function stored(input: StoreInput): Promise<StoredInspection> {
  const inspection = await storeTable(input);
  return { ...inspection, profile: JSON.stringify(inspection.profile) };
}

async function answer(task: ReadingTask): Promise<ReadingAnswer> {
  try {
    const json = Buffer.from(JSON.stringify(await resultOf(task)));
    for (let start = 0; start < json.length; start += PIECE_BYTES) {
      await pipe.send("data", json.subarray(start, start + PIECE_BYTES));
    }
    return { kind: "done" };
  } catch (error) {
    return { kind: "thrown", thrown: describeThrown(error) };
  }
}
