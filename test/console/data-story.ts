/** A table of a folder, from its connector to a dataset of a query over it; and a file that is uploaded. */

import { expect } from "vitest";
import type { Story } from "./story.ts";

/** Of a file and of its columns: markup, a turn of the writing's direction, and no end of letters. */
const HOSTILE = '<img src=x onerror=alert(1)> "\u202Egnp.exe';
const LONG = "long".repeat(2_500);
const HOSTILE_CSV = [
  `"${HOSTILE.replaceAll('"', '""')}",${LONG},=1+1`,
  ...Array.from({ length: 30 }, (_, row) => `<b>${row}</b>,${row % 7},${row}`),
].join("\n");

/** Begins at any view, without a workspace, and ends at the dataset. */
export async function queryFiles(story: Story): Promise<void> {
  const { page, lake } = story;
  const main = page.getByRole("main");
  await story.visit("/data/catalog");
  await page.getByRole("button", { name: "Make the workspace" }).click();
  await page.getByRole("button", { name: "Make the catalog" }).waitFor();
  await story.lookAround("catalog-empty");

  await page.getByRole("link", { name: "Connectors" }).click();
  await story.lookAround("connectors-empty");
  await main
    .getByRole("link", { name: /connector/i })
    .first()
    .click();
  await story.lookAround("connector-new");
  await page.getByRole("button", { name: "Choose Folder of the service" }).click();
  await page.getByLabel("Name of the connector").fill("lake");
  await page.getByLabel("Folder").fill(lake);
  await page.getByRole("button", { name: "Make and test it" }).click();
  await page.getByText("It works.").waitFor();
  await story.lookAround("connector-tested");

  await page.getByRole("link", { name: "Make a table of its files" }).click();
  await page.getByLabel("Name", { exact: true }).fill("files");
  await page.getByRole("button", { name: "Make the catalog" }).click();
  await page.getByRole("button", { name: "Make the schema" }).click();
  await page.getByLabel("Connector").selectOption("lake");
  await page.getByLabel("Name", { exact: true }).fill("cars");
  await page.getByLabel("Address of the files").fill(`${lake}cars.csv`);
  await page.getByRole("button", { name: "Make the table" }).click();
  await page.getByRole("grid").waitFor();
  await story.lookAround("catalog-table");

  await page.getByRole("link", { name: "Query it" }).click();
  const run = page.getByRole("button", { name: "Run", exact: true });
  await run.click();
  await page.getByText(/^1,000 rows and 7 columns/).waitFor();
  await page.getByRole("grid").press("Control+End");
  await story.look("sql");
  // The browser itself would do so by an inline style, against the page's policy.
  const editor = page.getByRole("textbox", { name: "SQL statement" });
  await editor.press("ControlOrMeta+a");
  await page.keyboard.type("(S");
  await expect.poll(() => editor.textContent()).toContain("(S");
  await editor.press("ControlOrMeta+z");
  await expect.poll(() => editor.textContent()).toContain("SELECT");
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByRole("button", { name: "Explain" }).and(page.locator(":enabled")).waitFor();
  await story.lookAround("sql-plan");

  await page.getByRole("button", { name: "Make a dataset of this" }).click();
  await story.lookAround("dialog-make-dataset");
  await page.getByRole("dialog").getByLabel("Name").fill("queried cars");
  await page.getByRole("button", { name: "Make it" }).click();
  await page.getByRole("heading", { level: 1, name: "queried cars" }).waitFor();
  await story.look("dataset-columns");
  await story.lookAtTabs("dataset", ["Rows", "Lineage"]);
  await story.lookAtDialog("delete-dataset", page.getByRole("button", { name: "Delete" }));
}

/** An uploaded file is queried at once, and what the statement gives becomes a dataset. Needs a workspace. */
export async function queryUpload(story: Story): Promise<void> {
  const { page } = story;
  await story.visit("/data/upload");
  const rows = Array.from({ length: 40 }, (_, row) => `${row},${row % 3 === 0 ? "yes" : "no"}`);
  const buffer = Buffer.from(["visits,churned", ...rows].join("\n"));
  await page
    .getByLabel("Files", { exact: true })
    .setInputFiles([{ name: "visits of 2026.csv", mimeType: "text/csv", buffer }]);
  await page.getByLabel("Name of the dataset").waitFor();
  await page.getByRole("button", { name: "Upload", exact: true }).click();
  await page.getByRole("link", { name: "Look at it" }).click();
  await page.getByRole("link", { name: "Query by SQL" }).click();
  const editor = page.getByLabel("SQL statement");
  await editor.waitFor();
  expect(await editor.textContent()).toBe("SELECT * FROM datasets.visits_of_2026 LIMIT 100");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText(/^40 rows and 2 columns/).waitFor();
  await story.lookAround("sql-dataset");
  await page.getByRole("button", { name: "Make a dataset of this" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("queried visits");
  await page.getByRole("button", { name: "Make it" }).click();
  await page.getByRole("heading", { level: 1, name: "queried visits" }).waitFor();
  await story.visit("/data/catalog");
  await page.getByRole("link", { name: "visits_of_2026", exact: true }).click();
  await page.getByRole("grid").waitFor();
  await story.lookAround("catalog-dataset");
}

/** Names that are all that a name can be are text, wherever they are shown. */
export async function uploadHostileFile(story: Story): Promise<void> {
  const { page } = story;
  await story.visit("/data/upload");
  const buffer = Buffer.from(HOSTILE_CSV);
  const file = { name: `${HOSTILE}.csv`, mimeType: "text/csv", buffer };
  const others = [
    { name: "plain.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n3,4\n") },
    { name: "sheet.xlsx", mimeType: "", buffer: Buffer.from("PK\u0003\u0004") },
  ];
  await page.getByLabel("Files", { exact: true }).setInputFiles([file, ...others]);
  await page.getByText("This looks like a ZIP archive").waitFor();
  await story.lookAround("upload-chosen");
  // What is no table stays behind, and is said to.
  await page.getByRole("button", { name: "Upload all 3 files" }).click();
  await page.getByText(/^1 file was not sent/).waitFor();
  await page.getByRole("button", { name: "Leave it out" }).click();
  const seen = page.getByRole("link", { name: "Look at it" });
  await expect.poll(() => seen.count()).toBe(2);
  await story.lookAround("upload-done");
  await seen.last().click();
  await page.getByText("long".repeat(5)).first().waitFor();
  await story.look("hostile-columns");
  await page.getByRole("link", { name: "Rows" }).click();
  await page.getByRole("grid").waitFor();
  await story.lookAround("hostile-rows");
  expect(await page.locator("main img, main b").count()).toBe(0);
}
