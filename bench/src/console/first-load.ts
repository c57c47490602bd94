/** How soon the start page is there for somebody who is signed in and whose browser knows nothing of it. */

import type { BrowserContext } from "playwright-core";

export interface FirstLoad {
  /** From the request of the page until its heading is there and nothing is loading. */
  readonly ms: number;
  /** Of all that was loaded, as it came over the wire. */
  readonly bytes: number;
}

const TRANSFERRED = `performance.getEntries()
  .filter(({ entryType }) => entryType === "resource" || entryType === "navigation")
  .reduce((sum, { transferSize }) => sum + transferSize, 0)`;

/** @param signedIn whose session is used, not its cache */
export async function firstLoad(signedIn: BrowserContext): Promise<FirstLoad> {
  const browser = signedIn.browser();
  if (browser === null) throw new Error("the context has no browser of its own");
  const context = await browser.newContext({ storageState: await signedIn.storageState() });
  try {
    const page = await context.newPage();
    const [origin] = (await context.storageState()).origins;
    if (origin === undefined) throw new Error("nobody is signed in");
    const begun = performance.now();
    await page.goto(origin.origin);
    await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
    const ms = performance.now() - begun;
    await page.waitForLoadState("networkidle");
    return { ms, bytes: await page.evaluate<number>(TRANSFERRED) };
  } finally {
    await context.close();
  }
}
