/** How a view looks: pictures at both widths and in both themes, and what axe has against it. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";

/** What continuous integration keeps of a run. */
const FOLDER = join(process.env["CI_ARTEFACTS"] ?? ".distillery-artefacts", "console");
const HEIGHT = 900;
const WIDTHS = [1280, 390] as const;
const THEMES = ["light", "dark"] as const;
const FRAMES = "new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))";
/** Of WCAG 2.2, levels A and AA. */
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/**
 * Takes the pictures and leaves the page as it was opened: wide and light.
 *
 * @param name of the view, for the pictures' files
 * @returns what of the page is not accessible in one of its looks, one line each
 */
export async function lookAt(page: Page, name: string): Promise<string[]> {
  mkdirSync(FOLDER, { recursive: true });
  const faults = new Set<string>();
  for (const [index, width] of WIDTHS.entries()) {
    await page.setViewportSize({ width, height: HEIGHT });
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      // Colours may change by and by: what is looked at is how they end.
      await page.evaluate(FRAMES);
      const path = join(FOLDER, `${name}-${width}-${theme}.png`);
      await page.screenshot({ path, animations: "disabled" });
      // Each width and each theme once: it is colours and layouts that differ, not both at a time.
      if (THEMES.indexOf(theme) !== index) continue;
      for (const fault of await inaccessible(page)) faults.add(`${width} px, ${theme}: ${fault}`);
    }
  }
  await page.setViewportSize({ width: WIDTHS[0], height: HEIGHT });
  await page.emulateMedia({ colorScheme: THEMES[0] });
  return [...faults];
}

async function inaccessible(page: Page): Promise<string[]> {
  // By the browser's own debugger, which the page's policy does not bind.
  await page.evaluate(`window.axe ?? (() => { ${axe.source} })()`);
  const options = { runOnly: { type: "tag", values: TAGS }, resultTypes: ["violations"] };
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(document, ${JSON.stringify(options)})`,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, html }) => `${id}: ${help}: ${target.join(" ")} ${html}`),
  );
}
