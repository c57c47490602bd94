/** A model chosen from its run's front, understood, asked by moving a row's values, and put behind an address. */

import type { Route } from "playwright-core";
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

/** By slices, which a request asks for, on the rows that the model has learned from. Ends where it began. */
export async function evaluateTheModel(story: Story): Promise<void> {
  const { page, server } = story;
  const before = page.url();
  const { models } = await server.get<{
    readonly models: readonly { readonly id: string; readonly dataset_id: string }[];
  }>("/v1/models?limit=1");
  const [model] = models;
  await server.post("/v1/evaluations", {
    model_id: model?.id,
    dataset_id: model?.dataset_id,
    slices: ["safety"],
  });
  await story.visit(`/models/${model?.id}?tab=evaluations`);
  const slices = page.getByRole("table", { name: "log_loss by slices" });
  await slices.waitFor();
  expect(await slices.getByRole("row").count()).toBe(1 + 3);
  await page.getByText("This model was trained on this dataset").waitFor();
  await story.look("model-evaluation");
  const report = page.getByRole("link", { name: "Open the report" });
  const opened = await page.request.get((await report.getAttribute("href")) ?? "");
  expect(opened.headers()["content-type"]).toContain("text/html");
  expect(await opened.text()).toContain("By safety");
  await page.goto(before);
  await story.settled();
}

/** Where models of several labels are there, those of one are ranked. */
async function chooseRanking({ page }: Story): Promise<void> {
  const ranking = page.getByRole("link", { name: "late", exact: true });
  const model = page.getByRole("link", { name: "trips", exact: true }).first();
  await ranking.or(model).first().waitFor();
  if (await ranking.isVisible()) await ranking.click();
}

/** Of a run with a front, which somebody else has made. */
export async function pickFromFront(story: Story): Promise<void> {
  const { page } = story;
  await story.visit("/models");
  await story.lookAround("leaderboard");
  await chooseRanking(story);
  await page.getByRole("link", { name: "trips", exact: true }).first().click();
  await story.lookAtTabs("model", [
    ...["Overview", "Explain", "Report", "Evaluations", "Files", "Lineage", "Front"],
  ]);
  const before = page.url();
  await page.getByRole("table", { name: "Models of the run" }).getByRole("link").first().click();
  await page.waitForURL((url) => url.href !== before && url.searchParams.get("tab") === "front");
  await story.settled();
  for (const [name, opener] of [
    ["model-naming", "Name and notes"],
    ["model-alias", "Alias"],
    ["model-evaluate", "Evaluate"],
    ["model-delete", "Delete"],
  ] as const) {
    await story.lookAtDialog(name, page.getByRole("button", { name: opener, exact: true }));
  }
  await story.enter("models");
  await chooseRanking(story);
  const boxes = page.getByRole("checkbox");
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await page.getByRole("button", { name: "Compare the two" }).click();
  await page.waitForURL(/compare/);
  await story.look("compare");
}

/** Begins at the model's what-if. */
export async function serveTheModel(story: Story): Promise<void> {
  const { page } = story;
  // The row that goes into the address does not call back who has left for a view that loads slowly.
  const slowly = async (route: Route): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await route.continue();
  };
  await page.route(/\.js$/, slowly);
  await page.getByRole("combobox", { name: "safety", exact: true }).selectOption({ label: "med" });
  await page.getByRole("main").getByRole("link", { name: "Serve", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("cars-live");
  await page.unroute(/\.js$/, slowly);
  await story.lookAround("dialog-new-endpoint");
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "cars-live" }).waitFor();
  await page.getByRole("link", { name: "Try it" }).click();
  await page.getByRole("button", { name: "Predict" }).click();
  await page.locator(".answer").waitFor();
  await story.look("endpoint-try-it");
  await story.lookAtTabs("endpoint", ["Traffic", "Live", "Drift", "Scores", "Prediction log"]);
  for (const action of ["Rename", "Delete"]) {
    const opener = page.getByRole("button", { name: action, exact: true });
    await story.lookAtDialog(`endpoint-${action.toLowerCase()}`, opener);
  }
}

/** Begins anywhere, where there are a model and a dataset that it reads. */
export async function predictTable(story: Story): Promise<void> {
  const { page } = story;
  await story.enter("serve");
  await story.lookAround("endpoints");
  await page.getByRole("link", { name: "Batch predictions" }).click();
  await story.lookAround("batch-empty");
  await page.getByRole("link", { name: "New batch prediction" }).first().click();
  await page.getByLabel("Model", { exact: true }).selectOption({ index: 1 });
  await page.getByLabel("Dataset", { exact: true }).selectOption({ index: 1 });
  await story.lookAround("batch-new");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("link", { name: /^Download/ }).waitFor();
  await story.look("batch-job");
}
