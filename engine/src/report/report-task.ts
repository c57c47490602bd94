/** The task that a worker runs to make a run's report. */

import { loadModel } from "../model/load.ts";
import { ModelFormatError } from "../model/model-format-error.ts";
import { buildReport, type ReportSources } from "./build-report.ts";
import { type RunReport, reportSchema } from "./document.ts";
import { reportPage } from "./html/page.ts";

export interface ReportInput extends Omit<ReportSources, "model"> {
  /** Of the run's first model, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

export interface ReportOutput {
  readonly json: Uint8Array;
  readonly html: Uint8Array;
}

export async function report(input: ReportInput): Promise<ReportOutput> {
  const { files, ...sources } = input;
  const model = await loadModel(async (path) => {
    const bytes = files.get(path);
    if (!bytes) throw new ModelFormatError(`The run's model has no file ${path}.`);
    return bytes;
  });
  const document: RunReport = reportSchema.parse(buildReport({ ...sources, model }));
  const encoder = new TextEncoder();
  return {
    json: encoder.encode(`${JSON.stringify(document)}\n`),
    html: encoder.encode(await reportPage(document)),
  };
}
