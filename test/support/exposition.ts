/**
 * Reads the text-based exposition format of Prometheus, version 0.0.4, and takes nothing else: each family
 * is announced once, with help and type, before its samples; histograms are cumulative and end in +Inf.
 * Names are held to the rules that `promtool check metrics` knows.
 */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const HELP = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (\S.*)$/s;
const TYPE = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/s;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\["\\n])*)"(?:,|$)/y;

/** @throws Error with the line that is wrong */
export function parseExposition(text: string): Sample[] {
  if (text === "") return [];
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const samples: Sample[] = [];
  const announced = new Map<string, string>();
  const seen = new Set<string>();
  let helped = "";
  let current = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const help = HELP.exec(line)?.[1];
    const [, typed, type] = TYPE.exec(line) ?? [];
    if (help !== undefined) helped = help;
    else if (typed !== undefined && type !== undefined) {
      if (typed !== helped || announced.has(typed)) throw new Error(line);
      checkName(typed, type);
      announced.set(typed, type);
      current = typed;
    } else {
      const sample = readSample(line);
      const histogram = announced.get(current) === "histogram";
      const suffix = histogram ? /^_(?:bucket|sum|count)$/ : /^$/;
      if (!sample.name.startsWith(current) || !suffix.test(sample.name.slice(current.length))) {
        throw new Error(`${line} is not of ${current}`);
      }
      const key = JSON.stringify([sample.name, Object.entries(sample.labels).toSorted()]);
      if (seen.has(key)) throw new Error(`${line} is there twice`);
      seen.add(key);
      samples.push(sample);
    }
  }
  for (const [name, type] of announced) if (type === "histogram") checkHistogram(name, samples);
  return samples;
}

/** Counters, and only they, end in `_total`; times and sizes are in base units. */
function checkName(name: string, type: string): void {
  if (name.endsWith("_total") !== (type === "counter")) throw new Error(`${name} is a ${type}`);
  if (/_(?:ms|milliseconds|minutes|kb|mb|percent|bucket|sum|count)(?:_|$)/.test(name)) {
    throw new Error(`${name} is not in a base unit`);
  }
}

function readSample(line: string): Sample {
  const [, name, inside = "", written = ""] = SAMPLE.exec(line) ?? [];
  if (name === undefined) throw new Error(`no sample: ${line}`);
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < inside.length) {
    const [, label, text] = LABEL.exec(inside) ?? [];
    if (label === undefined || text === undefined || label in labels) throw new Error(line);
    labels[label] = text.replace(/\\(.)/gs, (_, each: string) => (each === "n" ? "\n" : each));
  }
  const value = Number(written.replace(/^([+-])Inf$/, "$1Infinity"));
  if (Number.isNaN(value) && written !== "NaN") throw new Error(`no number: ${line}`);
  return { name, labels, value };
}

function checkHistogram(name: string, samples: readonly Sample[]): void {
  const last = new Map<string, { bound: number; count: number }>();
  for (const sample of samples) {
    const { le = "", ...labels } = sample.labels;
    const key = JSON.stringify(labels);
    if (sample.name === `${name}_bucket`) {
      const bound = Number(le.replace("+Inf", "Infinity"));
      const before = last.get(key) ?? { bound: -Infinity, count: 0 };
      if (!(bound > before.bound && sample.value >= before.count)) {
        throw new Error(`${name}${key} is not cumulative at ${le}`);
      }
      last.set(key, { bound, count: sample.value });
    } else if (sample.name === `${name}_count`) {
      const { bound, count } = last.get(key) ?? { bound: 0, count: -1 };
      if (bound !== Infinity || count !== sample.value)
        throw new Error(`${name}${key} has no +Inf`);
    }
  }
}
