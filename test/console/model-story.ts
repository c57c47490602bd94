/** A model asked by moving a row's values, put behind an address, and asked there. */

import { expect } from "vitest";
import type { Story } from "./story.ts";

/** Begins at the start page, where there is a model. */
export async function askTheModel(story: Story): Promise<void> {
  const { page } = story;
  await page.getByRole("link", { name: "Try the model" }).click();
  const said = page.locator(".what-if-said").getByRole("status");
  await page.getByRole("heading", { name: "Why" }).waitFor();
  await page.getByRole("combobox", { name: "safety", exact: true }).selectOption({ label: "low" });
  // No car that is unsafe is acceptable, whatever else it is.
  await said.getByText("unacc", { exact: true }).first().waitFor();
  await story.look("what-if");

  // The row is in the address, for whoever it is sent to.
  await page.waitForURL(/row=/);
  await page.reload();
  await said.getByText("unacc", { exact: true }).first().waitFor();
  const safety = page.getByRole("combobox", { name: "safety", exact: true });
  expect(await safety.locator("option:checked").textContent()).toBe("low");
}

/** Begins at the model. */
export async function serveTheModel(story: Story): Promise<void> {
  const { page } = story;
  await page.getByRole("main").getByRole("link", { name: "Serve", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("cars-live");
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "cars-live" }).waitFor();
  await story.look("endpoint");
  await page.getByRole("link", { name: "Try it" }).click();
  await page.getByRole("button", { name: "Predict" }).click();
  await page.locator(".answer").waitFor();
  await story.look("endpoint-try");
}
