/** The lane of one fit, to the least loaded of several devices, and to another one where that is lost. */

import type { ArenaHandle } from "../arena.ts";
import type { DeviceRecord, GpuDesk, PassOn } from "./desk.ts";
import { type Lane, type LaneRecord, laneRecord } from "./lane.ts";

/** What one of several devices did for a fit. */
export interface DeskRecord extends DeviceRecord {
  readonly desk: GpuDesk;
  /** It was lost, and another went on. */
  readonly isPassedOn: boolean;
}

/** A lane, and what is to be said when the fit is over. */
export interface RunLane {
  readonly lane: Lane;
  readonly arena: ArenaHandle;
  end(): Promise<void>;
}

export interface RunLaneOptions {
  /** Devices that are worth the way, and cells of a node from which on each is. */
  readonly desks: ReadonlyMap<GpuDesk, number>;
  /** The arena, or what makes one. */
  readonly given: ArenaHandle | (() => ArenaHandle);
  /** A device was asked for by name. */
  readonly isAsked: boolean;
  /** Whichever device does it, the bits are the same. */
  readonly mayPass: boolean;
  /** Is told what each device did, when the fit is over. */
  readonly tell: (records: readonly DeskRecord[]) => void;
}

/** Null where all devices are gone. */
export function openRunLane({
  desks,
  given,
  isAsked,
  mayPass,
  tell,
}: RunLaneOptions): RunLane | null {
  const others = byLoad(desks);
  let current = others.shift();
  if (current === undefined) return null;
  const arena = typeof given === "function" ? given() : given;
  const records: DeskRecord[] = [];
  let before: Counts = { answered: 0, refused: 0, seconds: 0 };
  const passOn: PassOn = (lane, memory, reason) => {
    const lost = current;
    const next = byLoad(desks).find((desk) => desk.adopt(lane, memory, passOn));
    if (lost === undefined || next === undefined) return false;
    const record = laneRecord(lane);
    const { name } = lost.facts;
    records.push({
      ...{ desk: lost, isPassedOn: true, adapter: name, reasons: [reason] },
      ...without(record, before),
    });
    before = record;
    current = next;
    return true;
  };
  const pass = mayPass && desks.size > 1 ? passOn : null;
  let lane: Lane | null = null;
  while (current !== undefined) {
    lane = current.open(arena, desks.get(current)!, undefined, pass);
    if (lane !== null) break;
    current = others.shift();
  }
  if (lane === null || current === undefined) return null;
  const opened = lane;
  return {
    lane: { ...opened, isAsked },
    arena,
    end: async () => {
      const desk = current!;
      const record = await desk.end(opened);
      records.push({ ...record, ...without(record, before), desk, isPassedOn: false });
      tell(records);
    },
  };
}

/** Those that are there, the least loaded first. */
function byLoad(desks: ReadonlyMap<GpuDesk, number>): GpuDesk[] {
  return [...desks.keys()].filter(({ gone }) => gone === null).sort((a, b) => a.load - b.load);
}

type Counts = Pick<LaneRecord, "answered" | "refused" | "seconds">;

/** What came after `before`. */
const without = (record: LaneRecord, before: Counts): LaneRecord => ({
  ...record,
  answered: record.answered - before.answered,
  refused: record.refused - before.refused,
  seconds: record.seconds - before.seconds,
});
