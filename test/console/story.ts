/** One server, one browser and one page of the console, through which the steps of a test go one after another. */

import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";
import { expect } from "vitest";
import { findBrowser } from "../../scripts/browser.ts";
import { buildConsole } from "../../scripts/build-console.ts";
import { CommandProcess } from "../support/command.ts";
import { API_KEY, removeHomes, TestServer } from "../support/server.ts";
import { SignInIssuer } from "../support/sign-in-issuer.ts";
import { LOOKS_AT_ALL, lookAt } from "./look.ts";
import { WatchedPage } from "./watched-page.ts";

/** Null where the machine has none, and `node scripts/browser.ts` has fetched none. */
export const executablePath = findBrowser();

/** As that of `expect.poll`: on a machine that others use, a page takes several times as long. */
const PATIENCE_MS = 180_000;

const CARS = new URL("../../fixtures/car_evaluation/data.csv", import.meta.url);
/** A window of which the pictures make no other. */
const WINDOW = { width: 1280, height: 900 };

/** What fails where nobody is signed in. */
export const UNAUTHENTICATED = / 401 /;

export class Story {
  #server: TestServer | null = null;
  #issuer: SignInIssuer | null = null;
  #browser: Browser | null = null;
  #context: BrowserContext | null = null;
  #watched: WatchedPage | null = null;
  #folder = "";
  readonly #found: string[] = [];

  async begin(): Promise<void> {
    if (executablePath === null) throw new Error("there is no browser");
    this.#folder = await mkdtemp(join(tmpdir(), "distillery-lake-"));
    await copyFile(CARS, join(this.#folder, "cars.csv"));
    this.#issuer = await SignInIssuer.start();
    const env = {
      DISTILLERY_FILE_ROOTS: this.#folder,
      DISTILLERY_ALLOW_PRIVATE_NETWORK: "1",
      ...this.#issuer.environment,
    };
    const [server] = await Promise.all([TestServer.start({ workers: 1, env }), buildConsole()]);
    this.#server = server;
    this.#browser = await chromium.launch({ executablePath, timeout: PATIENCE_MS });
    this.#context = await this.newContext();
    this.#watched = await WatchedPage.open(this.#context);
  }

  async end(): Promise<void> {
    await this.#browser?.close();
    await this.#server?.stop();
    await this.#issuer?.stop();
    await removeHomes();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** With `cars.csv`, which connectors may read. */
  get lake(): string {
    return `${pathToFileURL(this.#folder).href}/`;
  }

  /** For files that are chosen. */
  get folder(): string {
    return this.#folder;
  }

  /** With the first key, beside the page. */
  get server(): TestServer {
    return begun(this.#server);
  }

  /** By which people sign in as well. */
  get issuer(): SignInIssuer {
    return begun(this.#issuer);
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
  async newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await begun(this.#browser).newContext({
      baseURL: this.server.baseUrl,
      viewport: WINDOW,
      ...options,
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

  /** Waits until nothing of the view is still asked for. */
  async settled(): Promise<void> {
    await this.heading.waitFor();
    await expect.poll(() => this.page.locator(".loading, [aria-busy=true]").count()).toBe(0);
  }

  /** Keeps pictures of the page under this name, and expects that everybody can use it. */
  async look(name: string, page = this.page): Promise<void> {
    if (page === this.page) await this.settled();
    const faults = await lookAt(page, name);
    for (const fault of faults) this.#found.push(`${name}: ${fault}`);
  }

  /** As `look`, of what is looked at only where everything is. */
  async lookAround(name: string): Promise<void> {
    if (LOOKS_AT_ALL) await this.look(name);
  }

  /** Goes through parts of a view by their links, and looks at each, where everything is looked at. */
  async lookAtTabs(name: string, tabs: readonly string[]): Promise<void> {
    const { page } = this;
    for (const tab of LOOKS_AT_ALL ? tabs : []) {
      const link = page.getByRole("main").getByRole("link", { name: tab, exact: true }).first();
      await link.click();
      await link.and(page.locator("[aria-current]")).waitFor();
      await this.look(`${name}-${tab.toLowerCase().replaceAll(" ", "-")}`);
    }
  }

  /** Opens a dialog, looks at it and leaves it: the focus is on what opened it again. Where everything is looked at. */
  async lookAtDialog(name: string, opener: Locator): Promise<void> {
    if (!LOOKS_AT_ALL) return;
    const { page } = this;
    await opener.click();
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    await this.look(`dialog-${name}`);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    const isBack = await opener.evaluate((button) => button === document.activeElement);
    if (!isBack) this.#found.push(`${name}: the focus is not back where it was`);
  }

  /** What was found by looking since this was asked last. */
  takeFindings(): string[] {
    return this.#found.splice(0);
  }

  async signInByKey(key = API_KEY): Promise<void> {
    await this.page.getByLabel("API key").fill(key);
    await this.page.getByRole("button", { name: "Sign in", exact: true }).click();
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
