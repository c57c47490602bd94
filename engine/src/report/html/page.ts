/** The whole report as one HTML document. */

import type { RunReport } from "../document.ts";
import { documentPage } from "./document-page.ts";
import { dataSection } from "./sections/data.ts";
import { dependenceSection } from "./sections/dependence.ts";
import { forecastsSection } from "./sections/forecasts.ts";
import { importanceSection } from "./sections/importance.ts";
import { logSection } from "./sections/log.ts";
import { modelsSection } from "./sections/models.ts";
import { outcomeSection } from "./sections/outcome.ts";
import { overview } from "./sections/overview.ts";
import { searchSection } from "./sections/search.ts";
import { sequencesSection } from "./sections/sequences.ts";
import { shapesSection } from "./sections/shapes.ts";

export async function reportPage(report: RunReport): Promise<string> {
  const sections = [
    await forecastsSection(report),
    await modelsSection(report),
    await outcomeSection(report),
    await sequencesSection(report),
    await importanceSection(report),
    await dependenceSection(report),
    await shapesSection(report),
    await searchSection(report),
    dataSection(report),
    logSection(report),
  ].filter((each) => each !== null);
  return documentPage({
    title: `${report.name} – run report`,
    header: overview(report),
    sections,
    footer: `Made by Distillery ${report.environment["engine"]}. The same figures are in the report's JSON.`,
  });
}
