/** From the start page of an empty service to a model, by the example, as somebody would who reads little. */

import { expect } from "vitest";
import type { Story } from "./story.ts";

export async function trainOnExample(story: Story): Promise<void> {
  const { page } = story;
  await story.visit("/");
  await page.getByRole("button", { name: "Try the example" }).click();
  const start = page.getByRole("button", { name: "Start the run" });
  await start.waitFor();
  expect(await page.getByLabel("Column to predict").inputValue()).toBe("class");
  expect(await page.getByLabel("Kind of task").inputValue()).toBe("multiclass");

  await startsWithoutScrolling(story);

  const trials = page.getByLabel("Trials of each family");
  await trials.fill("one");
  await start.click();
  await page.getByText("Write a number").waitFor();
  expect(await trials.evaluate((control) => control === document.activeElement)).toBe(true);
  await story.look("train-form");

  await trials.fill("2");
  await page.getByLabel("Time", { exact: true }).fill("");
  await page.getByText("Model families, validation, search").click();
  await page.getByLabel(/^Linear and logistic/).check();
  await page.getByRole("tab", { name: "Python" }).click();
  await page.getByText('"model_families": ["linear"]').waitFor();
  await start.click();

  await page.getByRole("link", { name: "Open the model" }).waitFor();
  await page.getByText("finished", { exact: true }).first().waitFor();
  await story.look("train-run");
  // All of it is in the log of events, from which a reload makes it again.
  await page.reload();
  await page.getByRole("link", { name: "Model 1", exact: true }).waitFor();
  await story.visit("/");
  await page.getByRole("link", { name: "Try the model" }).waitFor();
  await story.lookAround("start-with-model");
}

/** The form is long on a phone; its end is in reach all the same. */
async function startsWithoutScrolling({ page }: Story): Promise<void> {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 700 });
  const start = page.getByRole("button", { name: "Start the run" });
  const bar = page.getByRole("navigation", { name: "Areas" });
  const [button, below] = [await start.boundingBox(), await bar.boundingBox()];
  expect(button?.y).toBeGreaterThan(0);
  expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
  if (size) await page.setViewportSize(size);
}
