/** One server, one browser and one page of the console, through which the steps of a test go one after another. */

import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";
import { expect } from "vitest";
import { findBrowser } from "../../scripts/browser.ts";
import { buildConsole } from "../../scripts/build-console.ts";
import { CommandProcess } from "../support/command.ts";
import { API_KEY, removeHomes, TestServer } from "../support/server.ts";
import { lookAt } from "./look.ts";
import { WatchedPage } from "./watched-page.ts";

/** Null where the machine has none, and `node scripts/browser.ts` has fetched none. */
export const executablePath = findBrowser();

/** As that of `expect.poll`: on a machine that others use, a page takes several times as long. */
const PATIENCE_MS = 180_000;

/** What fails where nobody is signed in. */
export const UNAUTHENTICATED = / 401 /;

export class Story {
  #server: TestServer | null = null;
  #browser: Browser | null = null;
  #context: BrowserContext | null = null;
  #watched: WatchedPage | null = null;

  async begin(): Promise<void> {
    if (executablePath === null) throw new Error("there is no browser");
    const [server] = await Promise.all([TestServer.start({ workers: 1 }), buildConsole()]);
    this.#server = server;
    this.#browser = await chromium.launch({ executablePath, timeout: PATIENCE_MS });
    this.#context = await this.newContext();
    this.#watched = await WatchedPage.open(this.#context);
  }

  async end(): Promise<void> {
    await this.#browser?.close();
    await this.#server?.stop();
    await removeHomes();
  }

  /** With the first key, beside the page. */
  get server(): TestServer {
    return begun(this.#server);
  }

  get context(): BrowserContext {
    return begun(this.#context);
  }

  get watched(): WatchedPage {
    return begun(this.#watched);
  }

  get page(): Page {
    return this.watched.page;
  }

  /** Of the view that is shown. */
  get heading(): Locator {
    return this.page.getByRole("main").getByRole("heading", { level: 1 });
  }

  get signInHeading(): Locator {
    return this.page.getByRole("heading", { name: "Sign in to Distillery" });
  }

  /** Somebody else's browser. */
  async newContext(): Promise<BrowserContext> {
    const context = await begun(this.#browser).newContext({
      baseURL: this.server.baseUrl,
      colorScheme: "light",
    });
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  }

  /** Opens an area by its link. */
  async enter(area: string): Promise<void> {
    const areas = this.page.getByRole("navigation", { name: "Areas" });
    await areas.locator(`a[href="/${area}"]`).click();
    await this.page.waitForURL(`**/${area}`);
  }

  /** Opens an address and waits until all that it shows is there. */
  async visit(path: string): Promise<void> {
    await this.page.goto(path);
    await this.settled();
  }

  async settled(): Promise<void> {
    await this.heading.waitFor();
    await this.page.waitForLoadState("networkidle");
  }

  /** Keeps pictures of the page under this name, and expects that everybody can use it. */
  async look(name: string, page = this.page): Promise<void> {
    expect([name, ...(await lookAt(page, name))]).toEqual([name]);
  }

  async signInByKey(key = API_KEY): Promise<void> {
    await this.page.getByLabel("API key").fill(key);
    await this.page.getByRole("button", { name: "Sign in" }).click();
  }

  /** As the operator gets it. */
  async newLink(): Promise<string> {
    const command = new CommandProcess(["link", "--home", this.server.home], {});
    const [link] = await command.says(/http:\S+#\S{43}/);
    await command.ends();
    return link;
  }
}

function begun<Part>(part: Part | null): Part {
  if (part === null) throw new Error("the story has not begun");
  return part;
}
