/** Somebody at a page who has a keyboard and nothing else, and who sees where the focus is. */

import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** So many stops are too far for anybody. */
const MOST_STOPS = 120;

/**
 * What is wrong with where the focus is; null where all is well. The last place is kept in the page: from
 * one stop to the next, the order is that of the document, but for the turn from its end to its beginning.
 */
const FAULT = `(() => {
  const element = document.activeElement;
  const last = window.lastStop;
  window.lastStop = element;
  if (element === document.body || element === null) return null;
  const name = element.outerHTML.slice(0, 160);
  if (last?.isConnected && last.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING)
    return window.hasTurned ? "a second turn, at " + name : ((window.hasTurned = true), null);
  const { top, left, width, height } = element.getBoundingClientRect();
  if (width < 1 || height < 1) return "it has no size: " + name;
  const x = Math.min(Math.max(left + width / 2, 1), innerWidth - 2);
  const y = Math.min(Math.max(top + height / 2, 1), innerHeight - 2);
  if (left + width <= 0 || left >= innerWidth || top + height <= 0 || top >= innerHeight)
    return "it is out of sight: " + name;
  const above = document.elementFromPoint(x, y);
  const label = element.closest("label");
  if (above && !element.contains(above) && !above.contains(element) && !label?.contains(above))
    return "it is under " + above.outerHTML.slice(0, 80) + ": " + name;
  const inner = element.shadowRoot?.activeElement;
  if (inner) return null;
  const { outlineStyle, boxShadow } = getComputedStyle(element);
  return outlineStyle === "none" && boxShadow === "none" ? "it is not to be seen: " + name : null;
})()`;

/** What has the focus stays where it is from one frame to the next: the page has scrolled to it. */
const IS_AT_REST = `new Promise((rested) => {
  let last = null;
  const look = () => {
    const top = document.activeElement?.getBoundingClientRect().top ?? 0;
    if (top === last) return rested();
    last = top;
    requestAnimationFrame(look);
  };
  look();
})`;

const HAS_FOCUS = (element: Element): boolean =>
  element.ownerDocument.activeElement === element || element.contains(document.activeElement);

export class Keyboard {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async press(key: string, times = 1): Promise<void> {
    for (let time = 0; time < times; time++) await this.#page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.press("ControlOrMeta+A");
    await this.#page.keyboard.type(text);
  }

  /** Goes on by Tab until it is there, and sees the focus at each stop. */
  async to(target: Locator): Promise<void> {
    await target.waitFor();
    await this.#page.evaluate("(window.lastStop = null), (window.hasTurned = false)");
    const stops: string[] = [];
    while (!(await target.evaluate(HAS_FOCUS))) {
      await this.press("Tab");
      await this.#page.evaluate(IS_AT_REST);
      const fault = await this.#page.evaluate<string | null>(FAULT);
      stops.push(
        await this.#page.evaluate<string>("document.activeElement?.outerHTML.slice(0, 90)"),
      );
      expect([`to ${target}`, fault]).toEqual([`to ${target}`, null]);
      if (stops.length > MOST_STOPS) throw new Error(`no way to ${target}:\n${stops.join("\n")}`);
    }
  }

  /** Goes back to it by Shift and Tab. */
  async back(target: Locator): Promise<void> {
    await target.waitFor();
    for (let stop = 0; !(await target.evaluate(HAS_FOCUS)); stop++) {
      if (stop > MOST_STOPS) throw new Error(`no way back to ${target}`);
      await this.press("Shift+Tab");
    }
  }

  /** Goes there and presses it. */
  async enter(target: Locator, key = "Enter"): Promise<void> {
    await this.to(target);
    await this.press(key);
  }

  /** Goes on to a view by a link or a button, and is at its heading then. */
  async goOn(target: Locator, heading: Locator): Promise<void> {
    await this.enter(target);
    await this.isAt(heading);
  }

  async isAt(target: Locator): Promise<void> {
    await target.waitFor();
    await expect.poll(() => target.evaluate(HAS_FOCUS)).toBe(true);
  }

  /** Opens a dialog, goes round in it, and leaves it by Escape: the focus is where it was. */
  async tryDialog(opener: Locator): Promise<void> {
    await this.enter(opener);
    const dialog = this.#page.getByRole("dialog");
    await this.isAt(dialog);
    await this.press("Tab", 3);
    await this.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await this.isAt(opener);
  }
}
