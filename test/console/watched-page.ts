/** A page of the console, and everything that its browser has against it. */

import type { BrowserContext, Locator, Page } from "playwright-core";

/** A request that the page itself gave up, as it does where somebody goes on to another view. */
const GIVEN_UP = "net::ERR_ABORTED";

export class WatchedPage {
  readonly page: Page;
  #faults: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    // Violations of the content security policy are errors of the console.
    page.on("console", (message) => {
      if (message.type() !== "error" && message.type() !== "warning") return;
      this.#faults.push(`${message.type()}: ${message.text()} (${message.location().url})`);
    });
    // No page asks by one: it is some name that was executed.
    page.on("dialog", async (dialog) => {
      if (dialog.type() !== "beforeunload") this.#faults.push(`dialog: ${dialog.message()}`);
      await dialog.accept();
    });
    page.on("pageerror", (error) => this.#faults.push(`uncaught: ${error.stack ?? error}`));
    page.on("requestfailed", (request) => {
      const why = request.failure()?.errorText;
      if (why !== GIVEN_UP) this.#faults.push(`failed: ${why} (${request.url()})`);
    });
    page.on("response", (response) => {
      if (response.status() < 400) return;
      this.#faults.push(`answered: ${response.status()} (${response.url()})`);
    });
  }

  static async open(context: BrowserContext): Promise<WatchedPage> {
    return new WatchedPage(await context.newPage());
  }

  /** What the browser has told since this was asked last, one line each. */
  takeFaults(): string[] {
    return this.#faults.splice(0);
  }

  /** As `Locator.click`; where that fails, the error says what the page shows and what it has told. */
  async click(what: Locator): Promise<void> {
    try {
      await what.click();
    } catch (error) {
      const shown = await this.page.locator("body").ariaSnapshot();
      const told = [...this.#faults, `${this.page.url()} shows:`, shown].join("\n");
      throw new Error(`${what} could not be clicked.\n${told}`, { cause: error });
    }
  }

  /**
   * A step that is to fail in one way.
   *
   * @param expected what its faults are like; others stay, and none at all is an error
   */
  async failing(expected: RegExp, step: () => Promise<void>): Promise<void> {
    if ((await this.allowing(expected, step)) === 0) {
      throw new Error(`nothing failed like ${expected}`);
    }
  }

  /**
   * A step that may fail in one way: what the page asks together with something else that is answered is no
   * failure of the request.
   *
   * @returns how often it did; other faults stay
   */
  async allowing(expected: RegExp, step: () => Promise<void>): Promise<number> {
    const before = this.takeFaults();
    await step();
    const faults = this.takeFaults();
    const others = faults.filter((fault) => !expected.test(fault));
    this.#faults.push(...before, ...others);
    return faults.length - others.length;
  }
}
