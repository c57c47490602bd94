import { describe, expect, it } from "vitest";
import { Study, type StudyOptions } from "../../search/study/study.ts";
import { studyImportance } from "./study-importance.ts";
import { studyPage } from "./study-page.ts";

const SPACE: StudyOptions["space"] = {
  rate: { type: "float", low: 1e-4, high: 1, log: true },
  noise: { type: "float", low: 0, high: 1 },
  "<b>kind</b>": { type: "categorical", choices: ["a", "b", null] },
  decay: { type: "float", low: 0, high: 1, when: { parameter: "<b>kind</b>", values: ["b"] } },
};

async function searched(options: Partial<StudyOptions> = {}): Promise<Study> {
  const study = new Study({ space: SPACE, sampler: "random", seed: 1, ...options });
  await study.optimize(
    ({ rate }, trial) => {
      const loss = Math.abs(Math.log10(Number(rate)) + 2);
      for (let step = 1; step <= 5; step++) if (trial.report(step, loss + 1 / step)) break;
      return trial.number === 3 ? null : loss;
    },
    { trials: 40 },
  );
  return study;
}

describe("a study's page", () => {
  it("tells of its trials, curves and parameters, and escapes their names", async () => {
    const study = await searched({ pruner: "median" });
    study.ask();
    const page = await studyPage(study, { title: "A & B", names: ["log loss"] });
    const pruned = study.trials.filter(({ prunedAt }) => prunedAt !== undefined).length;
    expect(pruned).toBeGreaterThan(0);
    expect(page).toContain("<h1>A &amp; B</h1>");
    expect(page).toContain(`${39 - pruned} finished, ${pruned} pruned, 1 failed, 1 running`);
    expect(page).toContain("History of log loss");
    expect(page).toContain("Learning curves");
    expect(page).toContain("What mattered");
    expect(page).toContain("&lt;b&gt;kind&lt;/b&gt;");
    expect(page).not.toContain("<b>kind");
    expect(page).not.toMatch(/NaN|undefined|<script|https?:\/\/(?!www\.w3\.org)/);
    expect(page.match(/<svg/g)?.length).toBeGreaterThan(5);
  });

  it("shows the front of several values", async () => {
    const study = new Study({ space: SPACE, directions: ["minimize", "maximize", "minimize"] });
    await study.optimize(({ rate, noise }) => [Number(rate), Number(noise), 1], { trials: 12 });
    const page = await studyPage(study);
    expect(page).toContain("by the first two of 3 values");
    expect(page).toContain("minimize value 1, maximize value 2, minimize value 3");
    await expect(studyPage(study, { names: ["one"] })).rejects.toThrow(
      "There are 1 names for 3 directions.",
    );
  });

  it("is one of a study without trials, and of one whose trials all failed", async () => {
    const study = new Study({ space: SPACE });
    expect(await studyPage(study)).toContain("no trial has finished");
    await study.optimize(() => null, { trials: 3 });
    expect(await studyPage(study)).toContain("0 finished, 3 failed");
  });
});

describe("a study's importance", () => {
  it("is of the parameter that decides, whichever way values are better", async () => {
    for (const direction of ["minimize", "maximize"] as const) {
      const study = await searched({ directions: [direction] });
      const importance = studyImportance(study);
      expect(importance?.trials).toBe(39);
      expect(importance?.parameters[0]).toMatchObject({ name: "rate" });
      expect(importance?.parameters[0].importance).toBeGreaterThan(0.5);
    }
    expect(studyImportance(new Study({ space: SPACE }))).toBeNull();
  });
});
