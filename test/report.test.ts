/** The report of a job over HTTP: with a token, by its link, while the job runs, and after it is gone. */

import { reportSchema } from "@distillery/engine";
import { beforeAll, expect, it } from "vitest";
import { awaitJob, type Job, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

let server: SharedServer;
beforeAll(async () => {
  server = await SharedServer.join();
});

const LABEL = "<svg/onload=alert(1)>";
const COLUMN = '</script><img src=x onerror="alert(2)">';

/** Two columns and a label of two classes, whose names are all out to break a page. */
function hostileCsv(rows: number): string {
  const lines = Array.from({ length: rows }, (_, i) => {
    const x = ((i * 37) % 101) / 101;
    const y = ((i * 61) % 89) / 89;
    return `${x},${y},${x + 0.3 * y > 0.6 ? "</table>" : "<!--"}`;
  });
  return [`"${COLUMN.replaceAll('"', '""')}",y,${LABEL}`, ...lines].join("\n");
}

it("shows a finished job's report as a page and as JSON, and by a link without a token", async () => {
  const datasetId = await server.uploadCsv("hostile", hostileCsv(300));
  const jobId = await startRun(server, {
    dataset_id: datasetId,
    name: "<b>bold</b> & co",
    task: { task_kind: "binclass", label_column: LABEL },
    hpo_space: { models: [{ family: "gbdt", fixed: { n_estimators: 20 } }, { family: "linear" }] },
    n_trials: 2,
    n_cv_splits: 3,
  });
  const { result_uri } = await awaitJob(server, jobId);
  const path = `/v1/jobs/${jobId}/report`;

  const page = await server.request("GET", path, { headers: { accept: "text/html" } });
  expect(page.status).toBe(200);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  const html = await page.text();
  expect(html).toContain("&lt;b&gt;bold&lt;/b&gt; &amp; co");
  for (const raw of [LABEL, COLUMN, "<b>bold"]) expect(html).not.toContain(raw);

  const json = await server.request("GET", path, { headers: { accept: "application/json" } });
  expect(json.headers.get("content-type")).toBe("application/json; charset=utf-8");
  const report = reportSchema.parse(await json.json());
  expect(report.run).toMatchObject({ label: LABEL, rows: 300, folds: 3 });
  expect(report.name).toBe("<b>bold</b> & co");
  expect(report.leaderboard.length).toBeGreaterThan(0);
  expect(report.confusion?.labels).toEqual(["<!--", "</table>"]);
  expect(report.gains?.groups.reduce((sum, { rows }) => sum + rows, 0)).toBe(300);
  expect(report.thresholds?.thresholds.map(({ threshold }) => threshold)).toContain(
    report.thresholds?.own,
  );
  expect(report.dependence?.columns.map(({ column }) => column).sort()).toEqual([COLUMN, "y"]);
  expect(reportSchema.parse(await server.get(`${path}?format=json`))).toEqual(report);
  expect((await server.request("GET", `${path}?format=pdf`)).status).toBe(422);
  const picture = await server.request("GET", path, { headers: { accept: "image/png" } });
  expect(picture.status).toBe(406);
  expect((await fetch(server.baseUrl + path)).status).toBe(401);

  const linked = await fetch(result_uri);
  expect(linked.status).toBe(200);
  expect(await linked.text()).toBe(html);
  expect(linked.headers.get("content-security-policy")).toContain("sandbox");
  const forged = result_uri.replace(/expires=(\d)/, (_, digit) => `expires=${Number(digit) + 1}`);
  for (const uri of [forged, result_uri.split("?", 1)[0], `${result_uri}x`]) {
    const refused = await fetch(uri);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ detail: expect.stringContaining("signed") });
  }

  await server.request("DELETE", `/v1/training_jobs/${jobId}`);
  expect((await server.request("GET", path)).status).toBe(404);
  expect((await fetch(result_uri)).status).toBe(403);
});

it("says how far a running job is, and why a cancelled one has no report", async () => {
  const datasetId = await server.uploadCsv("longer", hostileCsv(2000));
  const jobId = await startRun(server, {
    dataset_id: datasetId,
    task: { task_kind: "binclass", label_column: LABEL },
    hpo_space: {
      models: [{ family: "gbdt", fixed: { n_estimators: 3000, learning_rate: 0.001 } }],
    },
    n_trials: 500,
  });
  const path = `/v1/jobs/${jobId}/report`;
  const running = await server.request("GET", path);
  expect(running.status).toBe(409);
  expect(Number(running.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await running.json()).toMatchObject({ detail: expect.stringContaining("has not ended") });
  const { result_uri } = await server.get<Job>(`/v1/training_jobs/${jobId}`);
  expect((await fetch(result_uri)).status).toBe(409);
  await server.post(`/v1/training_jobs/${jobId}/cancel`);
  await expect.poll(async () => (await server.request("GET", path)).status).toBe(404);
  const gone = await server.request("GET", path);
  expect(await gone.json()).toMatchObject({ detail: expect.stringContaining("cancelled") });
});
