/** The scores of trials in the order in which they ended, and the best so far. */

import { useEffect, useRef } from "react";
import { curveLabel } from "./curve-label.ts";
import type { LiveRun } from "./live-run.ts";
import { type Colours, Painter, type Scene, type Size } from "./painter.ts";
import type { RunLog } from "./run-state.ts";
import { ScoreScale } from "./score-scale.ts";
import { useChanges } from "./use-live.ts";

const PAD = { left: 62, right: 12, top: 12, bottom: 26 };
const DOT = 3;
/** Few trials are few pixels: theirs are larger. */
const LARGE_DOT = 7;
const FEW = 60;
const FIRST_SPAN = 5;

/** Colours of families, by their places in the plan. */
const familyColour = (row: number): string => `--s${(row % 8) + 1}`;

class CurveScene implements Scene {
  readonly #log: RunLog;
  readonly #scale = new ScoreScale();
  #size: Size = { width: 0, height: 0 };
  #drawnScale = -1;
  /** Trials that the axis has room for. */
  #span = FIRST_SPAN;

  constructor(log: RunLog) {
    this.#log = log;
  }

  count(): number {
    return this.#log.finished.length;
  }

  isStale(): boolean {
    this.#scale.follow(this.#log);
    return this.#scale.version !== this.#drawnScale || this.count() > this.#span;
  }

  begin(context: CanvasRenderingContext2D, size: Size, colours: Colours): void {
    this.#size = size;
    this.#drawnScale = this.#scale.version;
    if (this.count() > this.#span) this.#span = Math.ceil(this.count() * 1.4);
    context.font = "11px system-ui, sans-serif";
    context.lineWidth = 1;
    for (const tick of this.#scale.ticks()) {
      const y = this.#y(tick.score);
      context.strokeStyle = colours("--grid");
      context.beginPath();
      context.moveTo(PAD.left, y);
      context.lineTo(size.width - PAD.right, y);
      context.stroke();
      if (this.count() === 0) continue;
      context.fillStyle = colours("--muted");
      context.textAlign = "right";
      context.textBaseline = "middle";
      context.fillText(tick.text, PAD.left - 6, y);
    }
    context.fillStyle = colours("--muted");
    context.textBaseline = "alphabetic";
    context.textAlign = "left";
    context.fillText("1", PAD.left, size.height - 8);
    context.textAlign = "right";
    context.fillText(
      `${this.#span.toLocaleString("en")} trials`,
      size.width - PAD.right,
      size.height - 8,
    );
  }

  draw(context: CanvasRenderingContext2D, item: number, colours: Colours): void {
    const log = this.#log;
    const trial = log.trials[log.finished[item] ?? -1];
    const best = log.bestSoFar[item];
    if (!trial || best === undefined) return;
    const x = this.#x(item);
    context.fillStyle = colours(familyColour(trial.row));
    context.globalAlpha = 0.55;
    const dot = this.#span > FEW ? DOT : LARGE_DOT;
    context.fillRect(x - dot / 2, this.#y(trial.score) - dot / 2, dot, dot);
    context.globalAlpha = 1;
    const y = this.#y(best);
    const before = log.bestSoFar[item - 1];
    context.fillStyle = colours("--ink");
    const from = item === 0 ? x : this.#x(item - 1);
    context.fillRect(from, y - 1, Math.max(2, x - from), 2);
    if (before === undefined || before === best) return;
    const above = this.#y(before);
    context.fillRect(from, Math.min(above, y), 2, Math.abs(above - y));
  }

  /** Of the trial that was drawn nearest to the left edge of a pixel. */
  trialAt(x: number, y: number): number | null {
    const middle = Math.round(((x - PAD.left) / this.#width) * this.#span);
    const reach = Math.ceil((8 / this.#width) * this.#span) + 1;
    let nearest: number | null = null;
    let least = 144;
    for (let item = Math.max(0, middle - reach); item <= middle + reach; item++) {
      const trial = this.#log.trials[this.#log.finished[item] ?? -1];
      if (!trial) continue;
      const distance = (this.#x(item) - x) ** 2 + (this.#y(trial.score) - y) ** 2;
      if (distance < least) [nearest, least] = [trial.number, distance];
    }
    return nearest;
  }

  get #width(): number {
    return this.#size.width - PAD.left - PAD.right;
  }

  #x(item: number): number {
    return PAD.left + (item / Math.max(1, this.#span)) * this.#width;
  }

  #y(value: number): number {
    const height = this.#size.height - PAD.top - PAD.bottom;
    return PAD.top + (1 - this.#scale.place(value)) * height;
  }
}

interface CurveProps {
  readonly live: LiveRun;
  readonly onPick: (trial: number) => void;
}

export function BestCurve({ live, onPick }: CurveProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scene = useRef<CurveScene>(null);
  useEffect(() => {
    if (canvas.current === null) return;
    scene.current = new CurveScene(live.log);
    const painter = new Painter(canvas.current, scene.current);
    const stop = live.subscribe(() => painter.request());
    return () => {
      stop();
      painter.close();
    };
  }, [live]);
  useChanges(live, 1_000);
  const { metric, isLowerBetter, plan } = live.log;
  return (
    <>
      <p className="note">
        {metric === ""
          ? "Nothing is scored yet."
          : `${metric}, ${isLowerBetter ? "lower" : "higher"} is better and stands higher; the line is the best so far.`}
      </p>
      <canvas
        ref={canvas}
        className="chart"
        role="img"
        aria-label={curveLabel(live.log)}
        onClick={({ nativeEvent: { offsetX, offsetY } }) => {
          const trial = scene.current?.trialAt(offsetX, offsetY) ?? null;
          if (trial !== null) onPick(trial);
        }}
      />
      <ul className="families">
        {plan?.families.map(({ family }, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are told apart by their place
          <li key={row}>
            <span className="swatch" style={{ background: `var(${familyColour(row)})` }} />
            {family}
          </li>
        ))}
      </ul>
    </>
  );
}
