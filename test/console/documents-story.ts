/** From receipts to a dataset: uploaded, asked, corrected. */

import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Story } from "./story.ts";

const FOLDER = fileURLToPath(new URL("../../fixtures/receipts/docs/", import.meta.url));
const RECEIPTS = 6;

export async function readDocuments(story: Story): Promise<void> {
  const { page } = story;
  const files = (await readdir(FOLDER)).sort().slice(0, RECEIPTS);
  await story.visit("/documents");
  await page.getByLabel("Files", { exact: true }).setInputFiles(files.map((file) => FOLDER + file));
  await page.getByText(`${RECEIPTS} documents uploaded.`).waitFor();
  await story.lookAround("documents-uploaded");
  await page.getByRole("table", { name: "Documents" }).getByRole("link").first().click();
  await page.waitForURL(/documents\/[0-9a-f-]{36}/);
  await story.look("document");

  await story.visit("/documents/induce");
  await page.getByLabel("What the answers are for").fill("predict the category of the total");
  await page.getByLabel("Questions at most").fill("5");
  await page.getByRole("button", { name: /^Choose all/ }).click();
  await story.lookAround("documents-induce");
  await page.getByRole("button", { name: "Find questions" }).click();
  await page.waitForURL(/documents\/schemas\//);
  await page.getByRole("link", { name: "Answer them" }).waitFor();
  await story.look("documents-schema");
}

/** Begins at the schema, and ends at the dataset. */
export async function correctAnswers(story: Story): Promise<void> {
  const { page } = story;
  await page.getByRole("link", { name: "Answer them" }).click();
  await page.getByRole("button", { name: /^Choose all/ }).click();
  await page.getByRole("button", { name: "Read the answers" }).click();
  await page.waitForURL(/documents\/extractions\//);
  await page.getByRole("button", { name: "Make dataset" }).waitFor();
  const answer = page.getByRole("region", { name: "Answers" }).locator("input").first();
  const read = await answer.inputValue();
  await answer.fill("typed by mistake");
  await answer.press("Escape");
  expect(await answer.inputValue()).toBe(read);
  await answer.fill("12.5");
  await answer.press("Enter");
  await story.look("extraction");
  await page.getByRole("button", { name: "Make dataset" }).click();
  await page.getByText(`${RECEIPTS} rows in`).waitFor();
  await page.getByRole("status").getByRole("link").click();
  await page.waitForURL(/data\/datasets\//);
  await page.getByRole("link", { name: "Rows" }).click();
  await page.getByRole("gridcell", { name: "12.5" }).first().waitFor();
  expect(await story.heading.textContent()).toContain("answers");
}
