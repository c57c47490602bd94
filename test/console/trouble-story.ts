/** What goes wrong for somebody who works: a file too large by mistake, a table too wide, things that are gone. */

import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { awaitJob, startRun } from "../support/jobs.ts";
import { refusing } from "../support/s3-responder.ts";
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

/** A secret that an object store refuses is said beside its field. */
export async function enterWrongSecret(story: Story): Promise<void> {
  const { page } = story;
  const store = await refusing(403, "SignatureDoesNotMatch", "The signatures differ.");
  await story.visit("/data/connectors/new");
  await page.getByRole("button", { name: "Choose S3 object store" }).click();
  await page.getByLabel("Name of the connector").fill("sales");
  await page.getByLabel("Bucket and prefix").fill("s3://sales/");
  await page.getByLabel("Server").fill(`http://127.0.0.1:${store.port}`);
  await page.getByLabel("Access key ID").fill("AKIAEXAMPLE");
  const secret = page.getByLabel("Secret access key");
  await secret.fill("not-this-one");
  await page.getByRole("button", { name: "Make and test it" }).click();
  const refusal = page.getByText("the secret does not belong to the access key");
  await refusal.waitFor();
  await story.lookAround("connector-refused");
  await page.getByRole("button", { name: "Change what was entered" }).click();
  await refusal.waitFor();
  expect(await secret.getAttribute("aria-invalid")).toBe("true");
  await story.lookAround("connector-mend");
  await store.close();
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

/** The start and the run's page lead to no model that was deleted. */
export async function missModel(story: Story): Promise<void> {
  const { page, server } = story;
  const dataset_id = await server.uploadCsv(
    "few",
    "x,y\n1,2\n2,3\n3,5\n4,6\n5,8\n6,9\n7,11\n8,12\n",
  );
  const job = await startRun(server, {
    ...{ name: "without its model", dataset_id, model_families: ["linear"], n_trials: 1 },
    ...{ task: { task_kind: "regression", label_column: "y" }, n_cv_splits: 2 },
  });
  const { model_id } = await awaitJob(server, job);
  await server.request("DELETE", `/v1/models/${model_id}`);
  await story.watched.allowing(/ 404 /, async () => {
    await story.visit("/");
    const run = page.getByRole("row").filter({ hasText: "without its model" });
    await run.getByText("Deleted").waitFor();
    await story.visit(`/train/runs/${job}`);
    await page.getByText("Its model was deleted.").waitFor();
    expect(await page.getByRole("link", { name: "Open the model" }).count()).toBe(0);
  });
}

/** Who sent a request again by its key sees that nothing was made twice. */
export async function lookAtReplay(story: Story): Promise<void> {
  const { page, server } = story;
  const send = () =>
    server.request("POST", "/v1/datasets?name=sent-again", {
      headers: { "content-type": "text/csv", "idempotency-key": "sent-again" },
      body: "a,b\n1,2\n3,4\n",
    });
  for (const answer of [await send(), await send()]) expect(answer.ok).toBe(true);
  await story.visit("/admin?tab=audit");
  const again = page.getByRole("row").filter({ hasText: "sent again, nothing changed" });
  await again.waitFor();
  await again.getByRole("button", { name: /^Details/ }).click();
  await page.getByText("yes, with its Idempotency-Key: it was answered as before").waitFor();
  await story.look("audit-replay");
  await page.keyboard.press("Escape");
}
