/** What a model has answered: a class with its probabilities, a value with its interval, or steps of a forecast. */

import { DataTable } from "../../../ui/listing.tsx";
import { figure, percent } from "../../../ui/numbers.ts";
import { Text } from "../../../ui/text.tsx";

export interface Prediction {
  readonly id?: string;
  readonly label?: string;
  readonly probabilities?: Readonly<Record<string, number>>;
  readonly set?: readonly string[];
  readonly value?: number;
  readonly interval?: readonly [number, number] | null;
  readonly quantiles?: Readonly<Record<string, number>> | null;
  readonly series?: Readonly<Record<string, string>>;
  readonly time?: string | number;
}

/** More classes, or more rows, are not looked through. */
const SHOWN_CLASSES = 12;
const SHOWN_ROWS = 200;

export function Answer({ predictions }: { readonly predictions: readonly Prediction[] }) {
  const [first] = predictions;
  if (first === undefined) return <p>Nothing was predicted.</p>;
  if (predictions.length === 1) return <One prediction={first} />;
  return (
    <>
      <DataTable
        caption="Predictions"
        items={predictions.slice(0, SHOWN_ROWS).map((prediction, at) => ({ ...prediction, at }))}
        keyOf={({ at }) => String(at)}
        columns={[
          { head: "Of", cell: (each) => <Text of={nameOf(each, each.at)} /> },
          {
            head: "Prediction",
            cell: ({ label, value }) =>
              label === undefined ? figure(value ?? Number.NaN) : <Text of={label} />,
          },
          { head: "How sure", cell: (prediction) => sureness(prediction) },
        ]}
      />
      {predictions.length > SHOWN_ROWS && <p className="note">The first {SHOWN_ROWS} are shown.</p>}
    </>
  );
}

function One({ prediction }: { readonly prediction: Prediction }) {
  const { label, probabilities, value, set } = prediction;
  if (label === undefined) {
    return (
      <p className="answer">
        <strong>{figure(value ?? Number.NaN)}</strong> <span>{sureness(prediction)}</span>
      </p>
    );
  }
  const classes = Object.entries(probabilities ?? {}).sort((a, b) => b[1] - a[1]);
  return (
    <>
      <p className="answer">
        <strong>
          <Text of={label} />
        </strong>
        {set && set.length > 1 && (
          <span> may also be {set.filter((each) => each !== label).join(", ")}</span>
        )}
      </p>
      <ul className="bins">
        {classes.slice(0, SHOWN_CLASSES).map(([name, probability]) => (
          <li key={name}>
            <span className="bin-name">
              <Text of={name} most={40} />
            </span>
            <span className="bin-bars" aria-hidden="true">
              <span className="series-0" style={{ width: `${100 * probability}%` }} />
            </span>
            <span className="bin-share">{percent(probability, 1)}</span>
          </li>
        ))}
      </ul>
      {classes.length > SHOWN_CLASSES && (
        <p className="note">The {SHOWN_CLASSES} likeliest classes.</p>
      )}
    </>
  );
}

function nameOf({ id, series, time }: Prediction, at: number): string {
  if (time === undefined) return id ?? `Row ${at + 1}`;
  const step = String(time).replace(/T00:00:00(\.000)?Z$/, "");
  return [...Object.values(series ?? {}), step].join(", ");
}

function sureness({ interval, quantiles, label, probabilities }: Prediction): string {
  if (label !== undefined) return percent(probabilities?.[label] ?? 0, 1);
  if (interval) return `${figure(interval[0])} to ${figure(interval[1])}`;
  const levels = Object.entries(quantiles ?? {}).sort((a, b) => Number(a[0]) - Number(b[0]));
  const [low, high] = [levels[0], levels.at(-1)];
  if (!low || !high) return "";
  return `${percent(Number(low[0]), 1)} below ${figure(low[1])}, ${percent(Number(high[0]), 1)} below ${figure(high[1])}`;
}
