/** The trials of a run as a table of which only the rows in sight are there. */

import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useCallback, useEffect, useMemo, useRef } from "react";
import { Field } from "../../../ui/field.tsx";
import { size } from "../../../ui/numbers.ts";
import { Status } from "../../../ui/status.tsx";
import { duration, score } from "../figures.ts";
import type { LiveRun } from "./live-run.ts";
import { shownState, TRIAL_STATES, type Trial } from "./run-state.ts";
import { orderedTrials, type Sort, type TableAsked } from "./trial-order.ts";
import { useChanges } from "./use-live.ts";

const ROW_PX = 36;
/** Of the box, with its head, its border and a bar to scroll sideways; more rows are scrolled to. */
const BOX_PX = { least: 100, most: 460, around: 62 };
/** Between two looks at what has come; sorting ten thousand trials takes milliseconds. */
const REFRESH_MS = 500;

interface Head {
  readonly title: string;
  readonly sort?: Sort;
}

interface TableProps {
  readonly live: LiveRun;
  readonly asked: TableAsked;
  readonly onAsk: (changes: Partial<TableAsked>) => void;
  readonly chosen: number | null;
  readonly onChoose: (trial: number) => void;
}

export function TrialTable({ live, asked, onAsk, chosen, onChoose }: TableProps) {
  const changes = useChanges(live, REFRESH_MS);
  const { log } = live;
  const box = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the log changes in place, by these counts
  const trials = useMemo(() => orderedTrials(log, asked), [log, asked, changes]);
  const rows = useVirtualizer({
    count: trials.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  });
  const chosenBy = useRef(onChoose);
  useEffect(() => {
    chosenBy.current = onChoose;
  }, [onChoose]);
  const choose = useCallback((trial: number) => chosenBy.current(trial), []);
  const inSight = rows.getVirtualItems();
  const height = Math.max(BOX_PX.least, Math.min(BOX_PX.most, rows.getTotalSize() + BOX_PX.around));
  const heads: readonly Head[] = [
    { title: "Trial", sort: "trial" },
    { title: "State" },
    { title: "Family" },
    { title: log.metric || "Score", sort: "score" },
    { title: "± folds", sort: "spread" },
    { title: "Fits", sort: "seconds" },
    { title: "Memory", sort: "bytes" },
    { title: "Parameters, or why it ended" },
  ];
  return (
    <>
      <div className="form-row filters">
        <Field label="Family">
          {(control) => (
            <select
              {...control}
              value={asked.family}
              onChange={({ target }) => onAsk({ family: target.value })}
            >
              <option value="">All families</option>
              {[...new Set(log.plan?.families.map(({ family }) => family))].map((family) => (
                <option key={family}>{family}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="State">
          {(control) => (
            <select
              {...control}
              value={asked.state}
              onChange={({ target }) =>
                onAsk({ state: TRIAL_STATES.find((state) => state === target.value) ?? "" })
              }
            >
              <option value="">All ({log.trials.length.toLocaleString("en")})</option>
              {TRIAL_STATES.map((state) => (
                <option key={state} value={state}>
                  {shownState({ state }, live.end !== null)} (
                  {log.counts[state].toLocaleString("en")})
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <section
        className="trials"
        ref={box}
        aria-label="Trials"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        style={{ height }}
      >
        <table aria-rowcount={trials.length + 1}>
          <caption>Trials</caption>
          <thead>
            <tr aria-rowindex={1}>
              {heads.map(({ title, sort }) => (
                <th
                  key={title}
                  scope="col"
                  aria-sort={
                    sort === undefined || sort !== asked.sort
                      ? undefined
                      : asked.isDescending
                        ? "descending"
                        : "ascending"
                  }
                >
                  {sort === undefined ? (
                    title
                  ) : (
                    <button
                      type="button"
                      onClick={() =>
                        onAsk({ sort, isDescending: sort === asked.sort && !asked.isDescending })
                      }
                    >
                      {title}
                      {sort === asked.sort && (asked.isDescending ? " ↓" : " ↑")}
                    </button>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Gap height={inSight[0]?.start ?? 0} />
            {inSight.map(({ index }) => {
              const trial = trials[index];
              return (
                trial && (
                  <tr
                    key={trial.number}
                    aria-rowindex={index + 2}
                    className={trial.number === chosen ? "chosen" : undefined}
                  >
                    <Cells
                      trial={trial}
                      revision={trial.revision}
                      isBest={trial === log.best}
                      hasEnded={live.end !== null}
                      onChoose={choose}
                    />
                  </tr>
                )
              );
            })}
            <Gap height={rows.getTotalSize() - (inSight.at(-1)?.end ?? 0)} />
          </tbody>
        </table>
      </section>
    </>
  );
}

/** Stands for the rows out of sight. */
function Gap({ height }: { readonly height: number }) {
  if (height <= 0) return null;
  return (
    <tr className="gap">
      <td colSpan={8} style={{ height }} />
    </tr>
  );
}

interface CellsProps {
  readonly trial: Trial;
  /** Trials change in place: this says that one has. */
  readonly revision: number;
  readonly isBest: boolean;
  /** The run, however. */
  readonly hasEnded: boolean;
  readonly onChoose: (trial: number) => void;
}

const Cells = memo(function Cells({ trial, isBest, hasEnded, onChoose }: CellsProps) {
  const why = trial.reason === "" ? parametersOf(trial) : trial.reason;
  return (
    <>
      <td>
        <button type="button" onClick={() => onChoose(trial.number)}>
          {trial.number}
          {isBest && <span className="mark"> best</span>}
        </button>
      </td>
      <td>
        <Status of={shownState(trial, hasEnded)} />
      </td>
      <td>{trial.family}</td>
      <td className="n">{Number.isNaN(trial.score) ? "–" : score(trial.score)}</td>
      <td className="n">{Number.isNaN(trial.spread) ? "–" : score(trial.spread)}</td>
      <td className="n">{trial.seconds === 0 ? "–" : duration(trial.seconds)}</td>
      <td className="n">{trial.bytes === 0 ? "–" : size(trial.bytes)}</td>
      <td className="why" title={why}>
        {why}
      </td>
    </>
  );
});

/** In a line. */
const parametersOf = ({ parameters }: Trial): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name} ${typeof value === "number" ? score(value) : String(value)}`)
    .join(", ");
