/**
 * One drawing by Vega in the page: its expressions are interpreted, never compiled, as the content
 * security policy asks. Loaded when the first chart is looked at.
 */

import { type Chart, sizedSpec } from "@distillery/engine/charts";
import { logger, None, parse, View } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile } from "vega-lite";

/** What it would tell a console is for whoever writes a chart. */
const SILENT = logger(None);
/** Pixels between the pointer and what is said of the mark below it. */
const APART = 14;

export interface Drawn {
  /** Shows it in place of what was there. */
  readonly show: () => void;
  /** Ends it; what it drew stays until something else is shown there. */
  readonly end: () => void;
}

interface DrawOptions {
  /** Pixels. */
  readonly width: number;
  /** Told which datum was pressed. */
  readonly onPick?: ((datum: Readonly<Record<string, unknown>>) => void) | undefined;
}

/** Draws it for an element of the page. The colours are the page's, also when they change. */
export async function draw(
  element: HTMLElement,
  spec: Chart["spec"],
  { width, onPick }: DrawOptions,
): Promise<Drawn> {
  const sized = sizedSpec(spec, width);
  const { spec: compiled } = compile(
    { ...sized, config: { ...sized.config, mark: { tooltip: true } } },
    { logger: SILENT },
  );
  const said = document.createElement("div");
  said.className = "tooltip";
  said.hidden = true;
  const drawing = document.createElement("div");
  // What is around it has the words.
  drawing.setAttribute("aria-hidden", "true");
  const view = new View(parse(compiled, undefined, { ast: true }), {
    renderer: "svg",
    container: drawing,
    expr: expressionInterpreter,
    logger: SILENT,
    hover: false,
    tooltip: (_handler, event, _item, value) => tell(said, element, event, value),
  });
  if (onPick) {
    view.addEventListener("click", (_event, item) => {
      const datum: unknown = item?.datum;
      if (typeof datum === "object" && datum !== null) onPick({ ...datum });
    });
  }
  await view.runAsync();
  return {
    show: () => element.replaceChildren(drawing, said),
    end: () => view.finalize(),
  };
}

/** Beside the pointer, within the chart. */
function tell(said: HTMLElement, around: HTMLElement, event: MouseEvent, value: unknown): void {
  if (typeof value !== "object" || value === null) {
    said.hidden = true;
    return;
  }
  const lines = Object.entries(value).map(([name, each]) => {
    const line = document.createElement("div");
    const head = document.createElement("span");
    head.textContent = name;
    line.append(head, ` ${String(each)}`);
    return line;
  });
  said.replaceChildren(...lines);
  said.hidden = false;
  const { left, top, width } = around.getBoundingClientRect();
  const x = Math.min(event.clientX - left + APART, width - said.offsetWidth);
  said.style.translate = `${Math.max(0, x)}px ${event.clientY - top + APART}px`;
}
