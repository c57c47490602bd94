/** From the one-time link to a batch prediction by keyboard alone, on a phone's screen in the dark. */

import { expect } from "vitest";
import { trips } from "../support/trips.ts";
import { Keyboard } from "./keyboard.ts";
import type { Story } from "./story.ts";
import { WatchedPage } from "./watched-page.ts";

export async function workByKeyboard(story: Story): Promise<void> {
  const context = await story.newContext({
    colorScheme: "dark",
    viewport: { width: 390, height: 844 },
  });
  const watched = await WatchedPage.open(context);
  const { page } = watched;
  const keyboard = new Keyboard(page);
  const main = page.getByRole("main");
  const heading = (name: string) => main.getByRole("heading", { level: 1, name });

  await page.goto(await story.newLink());
  await heading("Start").waitFor();
  await keyboard.press("Tab");
  await keyboard.isAt(page.getByRole("link", { name: "Skip to content" }));
  await keyboard.press("Enter");
  await keyboard.isAt(main);
  await keyboard.goOn(
    main.getByRole("link", { name: /^Upload (data|a table)$/ }),
    heading("Upload tables"),
  );

  const chosen = page.waitForEvent("filechooser");
  await keyboard.enter(page.getByRole("button", { name: "Choose files" }));
  const file = { name: "trips.csv", mimeType: "text/csv", buffer: Buffer.from(trips()) };
  await (await chosen).setFiles(file);
  await keyboard.enter(page.getByRole("button", { name: "Upload", exact: true }));
  await keyboard.goOn(page.getByRole("link", { name: "Train a model" }), heading("Train a model"));

  await keyboard.to(page.getByLabel("Time", { exact: true }));
  await keyboard.type("");
  await keyboard.press("Delete");
  await keyboard.to(page.getByLabel("Trials of each family"));
  await keyboard.type("2");
  await keyboard.to(page.getByLabel("Metric to optimise"));
  await page.keyboard.type("accuracy");
  await keyboard.enter(page.getByLabel("f1", { exact: true }), "Space");
  // It came to be above what was chosen.
  await keyboard.back(page.getByLabel(/^Make a model for each compromise/));
  await keyboard.press("Space");
  await keyboard.to(page.getByLabel("Grid size"));
  await keyboard.type("2");
  await keyboard.enter(page.locator("summary", { hasText: "Model families" }));
  await keyboard.enter(page.getByLabel(/^Linear and logistic/), "Space");
  await keyboard.to(page.getByLabel("Validation", { exact: true }));
  await page.keyboard.type("Folds");
  await keyboard.to(page.getByLabel("Number of folds"));
  await keyboard.type("2");
  await keyboard.enter(page.getByRole("button", { name: "Start the run" }));
  await keyboard.isAt(heading("trips"));
  await keyboard.goOn(page.getByRole("link", { name: "Open the model" }), heading("trips"));
  await keyboard.tryDialog(page.getByRole("button", { name: "Alias" }));
  await keyboard.enter(page.getByRole("link", { name: "Front", exact: true }));
  const models = page.getByRole("table", { name: "Models of the run" });
  await keyboard.goOn(models.getByRole("link").first(), heading("trips 2"));

  await keyboard.enter(page.getByRole("link", { name: "What-if" }));
  const said = page.locator(".what-if-said").getByRole("status");
  await said.waitFor();
  const before = await said.textContent();
  await keyboard.to(page.getByRole("slider").first());
  await keyboard.press("End");
  await expect.poll(() => said.textContent()).not.toBe(before);

  const dialog = page.getByRole("dialog");
  await keyboard.enter(main.getByRole("link", { name: "Serve", exact: true }));
  await keyboard.isAt(dialog);
  await keyboard.to(dialog.getByLabel("Name"));
  await keyboard.type("trips-live");
  await keyboard.press("Enter");
  await keyboard.isAt(heading("trips-live"));
  await keyboard.enter(page.getByRole("link", { name: "Try it" }));
  await keyboard.enter(page.getByRole("button", { name: "Predict" }));
  await page.locator(".answer").waitFor();

  await keyboard.goOn(
    page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name: "Serve" }),
    heading("Serve"),
  );
  await keyboard.goOn(page.getByRole("link", { name: "Batch predictions" }), heading("Serve"));
  await keyboard.goOn(
    main.getByRole("link", { name: "New batch prediction" }).first(),
    heading("New batch prediction"),
  );
  for (const name of ["Model", "Dataset"]) {
    const choice = page.getByLabel(name, { exact: true });
    await keyboard.to(choice);
    // Nobody types before there is something to choose.
    await choice.locator("option", { hasText: "trips" }).first().waitFor({ state: "attached" });
    await page.keyboard.type("trips");
  }
  await keyboard.enter(page.getByRole("button", { name: "Start" }));
  await main
    .getByRole("link", { name: /Download/ })
    .first()
    .waitFor();
  expect(watched.takeFaults()).toEqual([]);
  await context.close();
}
