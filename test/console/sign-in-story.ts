/** Signing in at the issuer, as people do it: there, back at the view that they asked for, and out again. */

import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { type Story, UNAUTHENTICATED } from "./story.ts";
import { WatchedPage } from "./watched-page.ts";

export async function signInByIssuer(story: Story): Promise<void> {
  const { issuer, server } = story;
  const context = await story.newContext();
  const watched = await WatchedPage.open(context);
  const { page } = watched;
  const enter = page.getByRole("button", { name: `Sign in with ${issuer.host}` });
  const view = "/admin?tab=retention";
  await page.goto(view);
  await enter.waitFor();
  await story.look("sign-in-issuer", page);
  await watched.failing(UNAUTHENTICATED, async () => {
    await enter.click();
    await page.getByRole("alert").getByText("cancelled there").waitFor();
  });
  // Neither the answer nor its state stays in the address bar.
  expect(page.url()).toBe(`${server.baseUrl}/sign-in/return`);
  await story.look("sign-in-refused", page);

  issuer.visitor = { idClaims: { sub: "ada", organization: "analytical", scope: "*" } };
  await page.goto(view);
  await enter.click();
  // The form to sign in stood at the same address.
  await leave(page).waitFor();
  expect(page.url()).toBe(`${server.baseUrl}${view}`);
  const save = page.getByRole("button", { name: "Save the rules" });
  await save.waitFor();
  // Another tab of the browser that goes the same way ends in its own view.
  const other = await WatchedPage.open(context);
  const enterElsewhere = async (sub: string, scope: string): Promise<void> => {
    issuer.visitor = { idClaims: { sub, organization: "analytical", scope } };
    const way = await other.page.request.post("/v1/session/authorization", {
      data: { return_to: "/models" },
      headers: { origin: server.baseUrl },
    });
    const { authorization_url } = (await way.json()) as { authorization_url: string };
    await other.page.goto(authorization_url);
    await leave(other.page).waitFor();
    expect(other.page.url()).toBe(`${server.baseUrl}/models`);
  };
  // What one person typed is not shown to a colleague who may do the same.
  const versions = page.getByLabel("Versions kept of each name");
  await versions.fill("7");
  await enterElsewhere("grace", "*");
  await expect.poll(() => versions.inputValue()).toBe("");
  await enterElsewhere("ada", "models:read jobs:read organization:read");

  // The first tab is of the session that began in the other one, which ends in both.
  await save.waitFor({ state: "detached" });
  await watched.click(leave(page));
  await other.page.getByRole("heading", { name: "Sign in to Distillery" }).waitFor();
  expect(other.takeFaults()).toEqual([]);
  await watched.click(page.getByRole("link", { name: `Sign out of ${issuer.host} as well` }));
  await page.getByRole("heading", { name: "You have left" }).waitFor();
  expect(watched.takeFaults()).toEqual([]);
  await context.close();
}

/** What only a page has where somebody is signed in. */
const leave = (page: Page): Locator => page.getByRole("button", { name: "Sign out" });
