/** How a view looks: wide and narrow, light and dark, as pictures where they are kept, and what axe has against it. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Whether every view is to be looked at, at all widths and in all themes, and the whole story told. */
export const LOOKS_AT_ALL = Boolean(process.env["DISTILLERY_LOOKS"]);

/** What continuous integration keeps of a run, or who looks at everything; nobody would look at others. */
const KEPT = process.env["CI_ARTEFACTS"] ?? (LOOKS_AT_ALL ? ".distillery-artefacts" : undefined);
const FOLDER = KEPT ? join(KEPT, "console") : null;
const HEIGHT = 900;
/** Of a picture; the rest of a longer view looks as what is above it. */
const TALLEST = 3_200;
const FRAMES = "new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))";
/** Charts are drawn anew for another width, after a while; so are the pages of documents that come near. */
const IS_DRAWN = `document.querySelector(".loading, [aria-busy=true]") === null &&
[...document.querySelectorAll(".drawing")].every((frame) => {
  const marks = frame.querySelector("svg.marks");
  return marks !== null && marks.clientWidth <= frame.clientWidth + 1;
})`;
/** Of WCAG 2.2, levels A and AA, and what axe's authors hold to be good besides. */
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

interface Look {
  readonly width: 1280 | 390;
  readonly theme: "light" | "dark";
  /** What axe is asked; null: nothing. */
  readonly rules: object | null;
}

const ALL_RULES = { type: "tag", values: TAGS };
/** What another layout and other colours can break. */
const RULES_OF_LOOKS = { type: "rule", values: ["color-contrast", "target-size"] };

const LOOKS: readonly Look[] = [
  { width: 1280, theme: "light", rules: ALL_RULES },
  { width: 390, theme: "dark", rules: LOOKS_AT_ALL ? ALL_RULES : RULES_OF_LOOKS },
];
const OTHER_LOOKS: readonly Look[] = [
  { width: 1280, theme: "dark", rules: RULES_OF_LOOKS },
  { width: 390, theme: "light", rules: null },
];

/**
 * Takes the pictures that are kept and leaves the page as it was.
 *
 * @param name of the view, for the pictures' files
 * @returns what of the page is not accessible in one of its looks, one line each
 */
export async function lookAt(page: Page, name: string): Promise<string[]> {
  const size = page.viewportSize();
  const faults: string[] = [];
  for (const look of LOOKS_AT_ALL ? [...LOOKS, ...OTHER_LOOKS] : LOOKS) {
    await show(page, look);
    await takePicture(page, name, look);
    const found = [...(await inaccessible(page, look)), ...(await sideways(page))];
    for (const fault of found) faults.push(`${look.width} px, ${look.theme}: ${fault}`);
  }
  await page.emulateMedia({ colorScheme: null });
  if (size) await page.setViewportSize(size);
  return faults;
}

async function show(page: Page, { width, theme }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  await page.setViewportSize({ width, height: HEIGHT });
  // Colours may change by and by: what is looked at is how they end.
  await page.evaluate(FRAMES);
  // By the debugger each time: the page's policy forbids what waits in the page itself.
  await expect.poll(() => page.evaluate(IS_DRAWN)).toBe(true);
  const height = await page.evaluate<number>("document.documentElement.scrollHeight");
  if (height > HEIGHT) {
    await page.setViewportSize({ width, height: Math.min(height, TALLEST) });
    await page.evaluate(FRAMES);
  }
}

async function takePicture(page: Page, name: string, { width, theme }: Look): Promise<void> {
  if (FOLDER === null) return;
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, `${name}-${width}-${theme}.png`);
  await page.screenshot({ path, animations: "disabled" });
}

/**
 * The thousands of marks of a chart are hidden from those who do not see it, in whose place words stand: axe
 * would look at each of them for naught. Runs in the page.
 */
const withoutMarks = `async (run) => {
  const kept = [...document.querySelectorAll("[aria-hidden=true] svg.marks")].map((chart) => [
    chart,
    [...chart.childNodes],
  ]);
  for (const [chart] of kept) chart.replaceChildren();
  const { violations } = await run();
  for (const [chart, marks] of kept) chart.replaceChildren(...marks);
  return violations;
}`;

async function inaccessible(page: Page, { rules }: Look): Promise<string[]> {
  if (rules === null) return [];
  // By the browser's own debugger, which the page's policy does not bind.
  await page.evaluate(`window.axe ?? (() => { ${axe.source} })()`);
  const options = {
    runOnly: rules,
    resultTypes: ["violations"],
    preload: false,
  };
  const violations = await page.evaluate<AxeResults["violations"]>(
    `(${withoutMarks})(() => axe.run(document, ${JSON.stringify(options)}))`,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, html }) => `${id}: ${help}: ${target.join(" ")} ${html}`),
  );
}

/** Tables and code scroll in boxes of their own, the page only downwards. */
async function sideways(page: Page): Promise<string[]> {
  const beyond = await page.evaluate<number>(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  return beyond > 0 ? [`the page is ${beyond} px wider than its window`] : [];
}
