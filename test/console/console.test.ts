/**
 * The console in a browser, as a story: each step goes on where the last one ended. Whatever the browser has
 * against a page fails the step: an error or a warning of its console, a request that failed, a violation of the
 * content security policy; and so does what a look at a view finds. An area's own steps are functions of the
 * story in files beside this one.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { queryFiles, queryUpload, uploadHostileFile } from "./data-story.ts";
import { correctAnswers, readDocuments } from "./documents-story.ts";
import { workByKeyboard } from "./keyboard-story.ts";
import { LOOKS_AT_ALL } from "./look.ts";
import {
  askTheModel,
  evaluateTheModel,
  pickFromFront,
  predictTable,
  serveTheModel,
} from "./model-story.ts";
import { beginSeriesRuns, lookAtSeries } from "./series-story.ts";
import { signInByIssuer } from "./sign-in-story.ts";
import { executablePath, Story, UNAUTHENTICATED } from "./story.ts";
import { trainOnExample } from "./train-story.ts";
import {
  dropHugeFile,
  enterWrongSecret,
  lookAtReplay,
  lookAtWideTable,
  missModel,
} from "./trouble-story.ts";
import { WatchedPage } from "./watched-page.ts";

const AREAS = ["data", "train", "models", "serve", "documents", "admin"];

describe.skipIf(executablePath === null)("the console", () => {
  const story = new Story();
  beforeAll(() => story.begin());
  afterEach(() => {
    expect(story.takeFindings()).toEqual([]);
    expect(story.watched.takeFaults()).toEqual([]);
  });
  afterAll(() => story.end());

  it("opens by a link, which is gone from the address bar and opens nothing again", async () => {
    const { page, server } = story;
    const link = await story.newLink();
    await page.goto(link);
    await story.heading.waitFor();
    expect(page.url()).toBe(`${server.baseUrl}/`);
    // No script can read who is signed in, and nothing of the link is kept.
    expect(await page.evaluate("document.cookie")).toBe("");
    const kept = await page.evaluate("JSON.stringify([localStorage, sessionStorage])");
    expect(kept).not.toContain(link.split("#")[1]);
    await page.reload();
    await story.heading.waitFor();

    const others = await story.newContext();
    const other = await WatchedPage.open(others);
    await other.failing(UNAUTHENTICATED, async () => {
      await other.page.goto(link);
      await other.page.getByRole("alert").getByText("This link was used before").waitFor();
    });
    await story.look("sign-in", other.page);
    expect(other.takeFaults()).toEqual([]);
    await others.close();
  });

  it("opens by the issuer at the view that was asked for, and says why it does not", () =>
    signInByIssuer(story));

  it("shows every area of an empty service, at any width, in light and dark, and to everybody", async () => {
    const { page } = story;
    await story.look("start");
    for (const area of AREAS) {
      await story.enter(area);
      expect(await page.title()).toContain("Distillery");
      await story.look(area);
    }
    await story.lookAtTabs("admin", ["Usage and quotas", "Retention", "Service"]);
    await story.visit("/admin");
    await story.lookAtDialog("new-key", page.getByRole("button", { name: "New key" }));
    await story.visit("/no/such/view");
    await story.look("not-found");
  });

  it("leads from nothing to a model, by an example", () => trainOnExample(story));

  it("asks the model while the values of a row are moved", () => askTheModel(story));

  it("shows what the model scores, by slices, with the way to the report", () =>
    evaluateTheModel(story));

  it("puts the model behind an address, and asks there", () => serveTheModel(story));

  it("predicts a whole table", () => predictTable(story));

  it("tells a request that was sent again from the one before", () => lookAtReplay(story));

  it("leads to no model that was deleted", () => missModel(story));

  describe.runIf(LOOKS_AT_ALL)("in all its parts", () => {
    let seriesRuns: readonly string[] = [];

    it("makes a dataset of a query over files", () => queryFiles(story));

    it("queries what was uploaded, and makes a dataset of that", () => queryUpload(story));

    it("takes names that are anything for what they are", async () => {
      seriesRuns = await beginSeriesRuns(story);
      await uploadHostileFile(story);
    });

    it("reads documents into a dataset", async () => {
      await readDocuments(story);
      await correctAnswers(story);
    });

    it("shows what comes next in series, and what sequences are", () =>
      lookAtSeries(story, seriesRuns));

    it("goes all the way by keyboard, on a phone's screen", () => workByKeyboard(story));

    it("picks a model from the front, and compares it", () => pickFromFront(story));

    it("sends nothing of a huge file that was dropped by mistake", () => dropHugeFile(story));

    it("says beside its field that an object store refuses a secret", () =>
      enterWrongSecret(story));

    it("shows a table of ten thousand columns, and that it was deleted", () =>
      lookAtWideTable(story));
  });

  it("says that the service does not answer, and goes on when it does", async () => {
    const { page, context, watched } = story;
    const api = /\/(v1|trpc)\//;
    await story.visit("/data");
    await watched.failing(/net::ERR_FAILED/, async () => {
      await context.route(api, (route) => route.abort("failed"));
      await story.enter("models");
      const problem = page.getByRole("alert").first();
      await problem.getByText("The service does not answer").waitFor();
      await story.look("lost-connection");
      await context.unroute(api);
      await problem.getByRole("button", { name: "Try again" }).click();
      await problem.waitFor({ state: "detached" });
    });
  });

  it("keeps what was typed when a session ends, for whoever it belongs to", async () => {
    const { page, server, watched } = story;
    const time = page.getByLabel("Time", { exact: true });
    await story.visit("/train/new");
    await time.fill("7");
    await server.request("DELETE", "/v1/session?everywhere=true");
    await watched.failing(UNAUTHENTICATED, async () => {
      await page.getByRole("button", { name: "Start the run" }).click();
      await story.signInHeading.waitFor();
      expect(await time.isVisible()).toBe(false);
      await story.signInByKey();
      await time.waitFor();
    });
    expect(await time.inputValue()).toBe("7");
    // What was refused is told as what it is now.
    await page.getByRole("alert").getByText("Your session had ended").waitFor();
    expect(await page.getByText("You are not signed in").count()).toBe(0);
    await story.look("signed-in-again");
  });

  it("prints what a view says, in dark ink, and not the way to the others", async () => {
    const { page } = story;
    await story.visit("/data");
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.getByRole("navigation", { name: "Areas" }).isVisible()).toBe(false);
    expect(await page.getByRole("button", { name: "Sign out" }).isVisible()).toBe(false);
    await story.heading.waitFor();
    const ink = "getComputedStyle(document.body).color";
    expect(await page.evaluate(ink)).toBe("rgb(28, 31, 35)");
    await page.emulateMedia({ media: null, colorScheme: null });
  });

  it("asks who was signed out elsewhere to sign in, and goes on at the same view", async () => {
    const { page, server, watched } = story;
    await story.visit("/data");
    const signedOut = await server.request("DELETE", "/v1/session?everywhere=true");
    expect(signedOut.status).toBe(200);
    await watched.failing(UNAUTHENTICATED, async () => {
      await story.enter("train");
      await story.signInHeading.waitFor();
      await story.signInByKey();
      await story.settled();
    });
    expect(page.url()).toBe(`${server.baseUrl}/train`);
  });

  it("signs out, and takes no key that is none", async () => {
    const { page, context, watched } = story;
    await page.getByRole("button", { name: "Sign out" }).click();
    await story.signInHeading.waitFor();
    expect(await context.cookies()).toEqual([]);
    await watched.failing(UNAUTHENTICATED, async () => {
      await page.reload();
      await story.signInHeading.waitFor();
      await story.signInByKey("nobody's key");
      await page.getByRole("alert").getByText("This API key is not valid").waitFor();
    });
  });
});
