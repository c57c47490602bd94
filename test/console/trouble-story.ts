/** What goes wrong for somebody who works: a file too large by mistake, a table too wide, things that are gone. */

import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { Story } from "./story.ts";

const HUGE_BYTES = 2 * 2 ** 30;
const WIDE_COLUMNS = 10_000;

/** Of two gigabytes that somebody has dropped, nothing is sent before it is asked for. */
export async function dropHugeFile(story: Story): Promise<void> {
  const { page, folder } = story;
  const path = join(folder, "backup.csv");
  const file = await open(path, "w");
  await file.truncate(HUGE_BYTES);
  await file.close();
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() !== "GET") sent.push(request.url());
  });
  await story.visit("/data/upload");
  await page.getByLabel("Files", { exact: true }).setInputFiles(path);
  await page.getByText(/The service takes files of up to|This is a large file/).waitFor();
  await story.lookAround("upload-huge");
  await page.getByRole("button", { name: "Leave it out" }).click();
  await story.visit("/documents");
  await page.getByLabel("Files", { exact: true }).setInputFiles(path);
  await page.getByText("A document has 50 MiB at most.").waitFor();
  await story.lookAround("documents-huge");
  expect(sent.filter((url) => !url.includes("/trpc/"))).toEqual([]);
}

export async function lookAtWideTable(story: Story): Promise<void> {
  const { page, server } = story;
  const names = Array.from({ length: WIDE_COLUMNS }, (_, column) => `c${column}`);
  const rows = [1, 2, 3].map((row) => names.map((_, column) => row + column).join(","));
  const id = await server.uploadCsv("wide", [names.join(","), ...rows].join("\n"));
  await story.visit(`/data/datasets/${id}`);
  await page.getByLabel("Find a column").fill("c9999");
  await page.getByRole("heading", { name: "c9999" }).waitFor();
  await story.look("dataset-wide");
  await page.getByRole("link", { name: "Rows" }).click();
  await page.getByRole("grid").press("End");
  await page.getByRole("columnheader", { name: /^c9999/ }).waitFor();
  await story.lookAround("dataset-wide-rows");
  await story.visit(`/train/new?dataset=${id}`);
  await story.lookAround("train-form-wide");

  // It goes while it is looked at.
  await story.visit(`/data/datasets/${id}`);
  await server.request("DELETE", `/v1/datasets/${id}`);
  await story.watched.failing(/ 404 /, async () => {
    await page.getByRole("link", { name: "Rows" }).click();
    await page.getByRole("alert").getByText("This is not here (any more).").waitFor();
    await story.look("dataset-deleted");
    await page.reload();
    await page.getByRole("link", { name: "All datasets" }).waitFor();
  });
}
