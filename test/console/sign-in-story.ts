/** Signing in at the issuer, as people do it: there, back at the view that they asked for, and out again. */

import { expect } from "vitest";
import { type Story, UNAUTHENTICATED } from "./story.ts";
import { WatchedPage } from "./watched-page.ts";

export async function signInByIssuer(story: Story): Promise<void> {
  const { issuer, server } = story;
  const context = await story.newContext();
  const watched = await WatchedPage.open(context);
  const { page } = watched;
  const enter = page.getByRole("button", { name: `Sign in with ${issuer.host}` });
  const view = "/admin?tab=kept";
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
  await page.waitForURL(`**${view}`);
  await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
  // Another tab of the browser that goes the same way ends in its own view.
  const other = await WatchedPage.open(context);
  const way = await other.page.request.post("/v1/session/authorization", {
    data: { return_to: "/models" },
    headers: { origin: server.baseUrl },
  });
  const { authorization_url } = (await way.json()) as { authorization_url: string };
  await other.page.goto(authorization_url);
  await other.page.waitForURL("**/models");
  await other.page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
  expect(other.takeFaults()).toEqual([]);

  await other.click(other.page.getByRole("button", { name: "Sign out" }));
  await other.click(other.page.getByRole("link", { name: `Sign out of ${issuer.host} as well` }));
  await other.page.getByRole("heading", { name: "You have left" }).waitFor();
  expect(watched.takeFaults()).toEqual([]);
  await context.close();
}
