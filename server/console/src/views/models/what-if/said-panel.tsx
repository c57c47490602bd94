/** What the model says of the row, large enough to be seen at once. */

import { figure, percent, shortened, uniqueLabels } from "@distillery/engine/charts";
import type { Said } from "./answer.ts";
import { intervalPromise, setPromise } from "./promise.ts";
import { signed } from "./waterfall.tsx";

/** Of models that do not tell theirs. */
const USUAL_COVERAGE = 0.9;

interface SaidProps {
  readonly said: Said;
  /** Of the row that all began with. */
  readonly usual: Said | null;
  readonly label: string;
  /** Share of rows whose interval or set should hold the truth; null where there is none. */
  readonly coverage: number | null;
  /** From the least to the largest label of the training data; null where it is not known. */
  readonly range: readonly [low: number, high: number] | null;
  /** Whether it is of an earlier row, while the next answer is on its way. */
  readonly isBehind: boolean;
}

export function SaidPanel(props: SaidProps) {
  const { said, isBehind } = props;
  return (
    <div className={isBehind ? "said behind" : "said"} role="status" aria-live="polite">
      {said.label === null ? <ValueSaid {...props} /> : <ClassSaid {...props} />}
    </div>
  );
}

function ValueSaid({ said, usual, label, coverage, range }: SaidProps) {
  const { value, quantiles } = said;
  if (value === null) return null;
  const interval = said.interval ?? endsOf(quantiles);
  const change = usual?.value == null ? 0 : value - usual.value;
  return (
    <>
      <p className="said-of">
        Predicted <bdi>{label}</bdi>
      </p>
      <p className="said-value">{figure(value)}</p>
      {usual?.value != null && (
        <p className="note">
          {Math.abs(change) < 1e-12
            ? "This is the typical row."
            : `${signed(change)} against the typical row (${figure(usual.value)})`}
        </p>
      )}
      {interval && (
        <>
          <Range interval={interval} value={value} range={range} />
          <p className="note">
            {said.interval
              ? intervalPromise(interval, coverage ?? USUAL_COVERAGE)
              : quantiles
                  .map(([level, each]) => `${percent(Number(level), 0)}: ${figure(each)}`)
                  .join(" · ")}
          </p>
        </>
      )}
    </>
  );
}

function endsOf(quantiles: Said["quantiles"]): readonly [number, number] | null {
  return quantiles.length < 2 ? null : [quantiles[0]![1], quantiles.at(-1)![1]];
}

/** The interval where it lies among all labels of the training data. */
function Range({
  interval,
  value,
  range,
}: {
  readonly interval: readonly [number, number];
  readonly value: number;
  readonly range: SaidProps["range"];
}) {
  const low = Math.min(range?.[0] ?? interval[0], interval[0], value);
  const high = Math.max(range?.[1] ?? interval[1], interval[1], value);
  const room = high - low || 1;
  const at = (each: number): string => `${(100 * (each - low)) / room}%`;
  return (
    <div className="said-range" aria-hidden="true">
      <div className="track">
        <i
          className="interval"
          style={{ left: at(interval[0]), width: `${(100 * (interval[1] - interval[0])) / room}%` }}
        />
        <i className="mark" style={{ left: at(value) }} />
      </div>
      <div className="what-if-ends">
        <span>{figure(low)}</span>
        <span>{figure(high)}</span>
      </div>
    </div>
  );
}

/** So many classes are drawn; the others are the least probable. */
const CLASSES = 8;
/** Pixels of two lines of its column. */
const LABEL_WIDTH = 190;

function ClassSaid({ said, usual, label, coverage }: SaidProps) {
  const { probabilities, set } = said;
  const sorted = probabilities.toSorted(([, a], [, b]) => b - a);
  const named = probabilities.length <= CLASSES ? probabilities : sorted.slice(0, CLASSES);
  const labels = uniqueLabels(
    named.map(([name]) => name),
    LABEL_WIDTH,
  );
  const before = new Map(usual?.probabilities);
  return (
    <>
      <p className="said-of">
        Predicted <bdi>{label}</bdi>
      </p>
      <p className="said-value" title={said.label ?? undefined}>
        <bdi>{shortened(said.label ?? "", 60)}</bdi>
      </p>
      <table className="probabilities">
        <caption>Probability of each class</caption>
        <tbody>
          {named.map(([name, probability], at) => (
            <tr key={name}>
              <th scope="row" title={name}>
                <bdi>{labels[at]}</bdi>
              </th>
              <td>
                <div className="track" aria-hidden="true">
                  <i
                    className={name === said.label ? "share chosen" : "share"}
                    style={{ left: 0, width: `${100 * probability}%` }}
                  />
                  {before.has(name) && (
                    <i className="before" style={{ left: `${100 * before.get(name)!}%` }} />
                  )}
                </div>
              </td>
              <td className="n">{percent(probability)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > named.length && (
        <p className="note">{sorted.length - named.length} less probable classes are left out.</p>
      )}
      {usual && <p className="note">The thin lines are the typical row.</p>}
      {set.length > 0 && (
        <p className="note">
          <bdi>{setPromise(set, probabilities, coverage ?? USUAL_COVERAGE)}</bdi>
        </p>
      )}
    </>
  );
}
