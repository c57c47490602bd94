/** What stretches of time a model of sequences goes by: of typical sequences, and on average. */

import type { RunReport } from "../../document.ts";
import type { SequencesSection } from "../../sequence-document.ts";
import { draw, drawPanels } from "../charts/draw.ts";
import { overTimeSpec, partsSpec } from "../charts/over-time.ts";
import { figure, type Section } from "../figure.ts";
import { figure as number, percent, plural, shortened, whole } from "../format.ts";
import { type Html, html } from "../markup.ts";

type Typical = SequencesSection["typical"][number];

const PARTS_ROWS = 200;

export async function sequencesSection(report: RunReport): Promise<Section | null> {
  const { sequences, run } = report;
  if (!sequences) return null;
  const ofClasses = sequences.space === "probability";
  return {
    id: "sequences",
    title: "What in the sequences decides",
    content: html`<p class="note">A stretch of time adds what the prediction loses without it, averaged over the orders in which stretches can be left out (Shapley values). What is left out lies on a straight line between its neighbours, or with all of a channel gone, at the channel's mean. ${
      ofClasses
        ? "Contributions are in points of probability"
        : `Contributions are in units of ${shortened(run.label, 40)}`
    }. The model that is asked has seen most of these sequences.</p><div class="grid">${[
      ...(await Promise.all(
        sequences.typical.map((typical) =>
          typicalCard(typical, ofClasses, shortened(run.label, 40)),
        ),
      )),
      await partsCard(sequences, ofClasses),
    ]}</div>`,
  };
}

/** With its sign. */
function amount(value: number, ofClasses: boolean): string {
  const sign = value > 0 ? "+" : value < 0 ? "−" : "";
  return `${sign}${size(Math.abs(value), ofClasses)}`;
}

function size(value: number, ofClasses: boolean): string {
  return ofClasses ? (100 * value).toFixed(1) : number(value);
}

async function typicalCard(typical: Typical, ofClasses: boolean, label: string): Promise<Html> {
  const { of, actual, heldOut, prediction, base, exact, steps, segments, channels } = typical;
  const columns = new Set(segments.map(({ column }) => column)).size;
  const said = (value: number): string => (ofClasses ? percent(value) : number(value));
  const whose = of === null ? label : `class ${shortened(of, 40)}`;
  const most = segments.reduce((a, b) =>
    Math.abs(b.contribution) > Math.abs(a.contribution) ? b : a,
  );
  const error = segments.reduce((largest, each) => Math.max(largest, each.error), 0);
  const where = `${stretch(most)}${columns > 1 ? ` of ${shortened(most.column, 40)}` : ""}`;
  return figure({
    title:
      of === null
        ? `A sequence whose ${label} is ${number(actual)}`
        : `A typical sequence of class ${shortened(of, 60)}`,
    says: `${of === null ? "Predicted" : `Probability of ${whose}`}: ${said(prediction)}; ${said(heldOut)} held out, ${said(base)} with every step missing. ${
      most.contribution === 0
        ? "No stretch changes it."
        : `Most comes from ${where} (${amount(most.contribution, ofClasses)}).`
    } ${exact ? "Contributions are exact." : `Orders were sampled: standard errors are up to ${size(error, ofClasses)}.`}${
      channels.length < columns
        ? ` The ${channels.length} channels that add most of ${columns} are drawn.`
        : ""
    }`,
    chart: await drawPanels(
      overTimeSpec(typical, {
        towards: of === null ? `raises ${label}` : `speaks for ${shortened(of, 40)}`,
        away: of === null ? `lowers ${label}` : "speaks against it",
      }),
    ),
    table: {
      caption: `What stretches of ${plural(steps, "step")} add`,
      columns: [
        { head: "Channel" },
        { head: "Steps" },
        { head: ofClasses ? "Adds, points" : "Adds", numeric: true },
        { head: "± standard error", numeric: true },
      ],
      rows: segments.map((each) => [
        shortened(each.column, 60),
        placesOf(each),
        amount(each.contribution, ofClasses),
        each.error === 0 ? "0" : size(each.error, ofClasses),
      ]),
    },
  });
}

function stretch(segment: Typical["segments"][number]): string {
  return segment.end - segment.start === 1
    ? `step ${segment.start}`
    : `steps ${segment.start} to ${segment.end - 1}`;
}

function placesOf({ start, end }: Typical["segments"][number]): string {
  return end - start === 1 ? String(start) : `${start} … ${end - 1}`;
}

async function partsCard(sequences: SequencesSection, ofClasses: boolean): Promise<Html> {
  const { sizes, parts, explained } = sequences;
  const most = sizes.reduce((a, b) => (b.size > a.size ? b : a));
  const columns = new Set(sizes.map(({ column }) => column)).size;
  return figure({
    title: "When it is decided",
    says: `How much each stretch moves predictions on average over ${plural(explained, "sequence")}, each cut into ${whole(parts)} parts of equal length${
      ofClasses ? " (mean size over the classes)" : ""
    }. The fuller the colour, the more; most is moved by part ${most.part}${
      columns > 1 ? ` of ${shortened(most.column, 40)}` : ""
    }, by ${size(most.size, ofClasses)}${ofClasses ? " points" : ""}.`,
    chart: await draw(partsSpec(sequences)),
    table: {
      caption: "Mean size of contributions by channel and part",
      columns: [
        { head: "Channel" },
        { head: "Part", numeric: true },
        { head: ofClasses ? "Mean size, points" : "Mean size", numeric: true },
      ],
      rows: sizes
        .slice(0, PARTS_ROWS)
        .map((each) => [shortened(each.column, 60), each.part, size(each.size, ofClasses)]),
    },
  });
}
