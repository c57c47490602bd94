/** Parallel coordinates: each finished trial of a family is a line through its parameters to its score. */

import { useEffect, useRef } from "react";
import { Field } from "../../../ui/field.tsx";
import { score } from "../figures.ts";
import type { SearchedParameter } from "./entries.ts";
import type { LiveRun } from "./live-run.ts";
import { type Colours, Painter, type Scene, type Size } from "./painter.ts";
import type { RunLog, Trial } from "./run-state.ts";
import { ScoreScale } from "./score-scale.ts";
import { useChanges } from "./use-live.ts";

const PAD = { x: 46, top: 46, bottom: 22 };
/** More do not fit beside each other. */
const MOST_AXES = 9;
const LONGEST = 14;
/** From bad to good, as the report has them. */
const TONES = ["--h5", "--h4", "--h3", "--h2", "--h1"];

/** 0 to 1 from the low end of its range to the high one; null where the trial has no such parameter. */
function placeOn({ range, isLog, choices }: SearchedParameter, value: unknown): number | null {
  if (range === null) {
    const at = choices.indexOf(value);
    if (at < 0) return null;
    return choices.length < 2 ? 0.5 : at / (choices.length - 1);
  }
  if (typeof value !== "number") return null;
  const [low, high] = isLog ? [Math.log(range[0]), Math.log(range[1])] : range;
  const at = isLog ? Math.log(value) : value;
  if (high === low) return 0.5;
  return Math.min(1, Math.max(0, (at - low) / (high - low)));
}

class ParallelScene implements Scene {
  readonly #log: RunLog;
  readonly #row: number;
  readonly #axes: readonly SearchedParameter[];
  readonly #scale = new ScoreScale();
  #size: Size = { width: 0, height: 0 };
  #drawnScale = -1;
  #drawnBest: Trial | null = null;

  constructor(log: RunLog, row: number, axes: readonly SearchedParameter[]) {
    this.#log = log;
    this.#row = row;
    this.#axes = axes;
  }

  count(): number {
    return this.#log.finished.length;
  }

  isStale(): boolean {
    this.#scale.follow(this.#log);
    return this.#scale.version !== this.#drawnScale || this.#log.best !== this.#drawnBest;
  }

  begin(context: CanvasRenderingContext2D, size: Size, colours: Colours): void {
    this.#size = size;
    this.#drawnScale = this.#scale.version;
    this.#drawnBest = this.#log.best;
    context.font = "11px system-ui, sans-serif";
    context.lineWidth = 1;
    const names = [...this.#axes.map(({ name }) => name), this.#log.metric];
    for (const [axis, name] of names.entries()) {
      const x = this.#x(axis);
      context.strokeStyle = colours("--axis");
      context.beginPath();
      context.moveTo(x, PAD.top);
      context.lineTo(x, size.height - PAD.bottom);
      context.stroke();
      context.fillStyle = colours("--ink");
      context.textAlign = "center";
      context.fillText(shortened(name), x, axis % 2 === 0 ? 12 : 25);
      context.fillStyle = colours("--muted");
      const [low, high] = this.#ends(axis);
      context.fillText(low, x, size.height - 8);
      context.fillText(high, x, PAD.top - 5);
    }
  }

  draw(context: CanvasRenderingContext2D, item: number, colours: Colours): void {
    const trial = this.#log.trials[this.#log.finished[item] ?? -1];
    if (!trial || trial.row !== this.#row) return;
    const tone = Math.min(
      TONES.length - 1,
      Math.floor(this.#scale.place(trial.score) * TONES.length),
    );
    context.globalAlpha = 0.35;
    this.#line(context, trial, colours(TONES[tone] ?? "--h3"), 1);
    context.globalAlpha = 1;
  }

  finish(context: CanvasRenderingContext2D, colours: Colours): void {
    const { best } = this.#log;
    if (best?.row === this.#row) this.#line(context, best, colours("--ink"), 2.5);
  }

  #line(context: CanvasRenderingContext2D, trial: Trial, colour: string, width: number): void {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    for (const [axis, parameter] of this.#axes.entries()) {
      const place = placeOn(parameter, trial.parameters[parameter.name]);
      // One that the trial has not, because another excludes it, is left out of its line.
      if (place !== null) context.lineTo(this.#x(axis), this.#y(place));
    }
    context.lineTo(this.#x(this.#axes.length), this.#y(this.#scale.place(trial.score)));
    context.stroke();
  }

  #ends(axis: number): readonly [low: string, high: string] {
    const parameter = this.#axes[axis];
    if (!parameter) {
      if (this.count() === 0) return ["", ""];
      return [score(this.#scale.scoreAt(0)), score(this.#scale.scoreAt(1))];
    }
    const { range, choices } = parameter;
    if (range) return [score(range[0]), score(range[1])];
    return [shortened(String(choices[0])), shortened(String(choices.at(-1)))];
  }

  #x(axis: number): number {
    return PAD.x + (axis / Math.max(1, this.#axes.length)) * (this.#size.width - 2 * PAD.x);
  }

  #y(place: number): number {
    return PAD.top + (1 - place) * (this.#size.height - PAD.top - PAD.bottom);
  }
}

interface ParallelProps {
  readonly live: LiveRun;
  readonly family: string;
  readonly onFamily: (family: string) => void;
}

export function Parallel({ live, family, onFamily }: ParallelProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useChanges(live, 1_000);
  const { plan, best } = live.log;
  const families = plan?.families ?? [];
  const asked = families.findIndex((each) => each.family === family);
  const row = asked >= 0 ? asked : (best?.row ?? 0);
  const parameters = families[row]?.parameters;
  useEffect(() => {
    if (canvas.current === null || !parameters) return;
    const scene = new ParallelScene(live.log, row, parameters.slice(0, MOST_AXES));
    const painter = new Painter(canvas.current, scene);
    const stop = live.subscribe(() => painter.request());
    return () => {
      stop();
      painter.close();
    };
  }, [live, row, parameters]);
  if (families.length === 0) return <p className="note">The run is not planned yet.</p>;
  return (
    <>
      <Field label="Family">
        {(control) => (
          <select
            {...control}
            value={families[row]?.family ?? ""}
            onChange={({ target }) => onFamily(target.value)}
          >
            {families.map((each) => (
              <option key={each.family}>{each.family}</option>
            ))}
          </select>
        )}
      </Field>
      <p className="note">
        Each line is a trial; it ends at its score, the best at the top. Blue lines are good, orange
        ones bad, the thick one is the best of all.
        {(parameters?.length ?? 0) > MOST_AXES && ` The first ${MOST_AXES} parameters are shown.`}
      </p>
      <section
        className="scroll"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        aria-label="Parallel coordinates"
      >
        <canvas
          ref={canvas}
          className="chart parallel"
          role="img"
          aria-label={`Parameters of ${families[row]?.family ?? ""} and the scores they led to; the table of trials has the numbers.`}
        />
      </section>
    </>
  );
}

const shortened = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
