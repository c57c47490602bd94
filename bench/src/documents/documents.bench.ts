/**
 * Documents from files to answers, by the offline inducer at its defaults: which gold fields a schema
 * of each set asks for, how often its answers are right on documents that it was not made from, how
 * well their confidence tells right from wrong, and what it costs. With it, the text of 1,000 pages of PDF.
 */

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { ParserPool } from "../../../server/src/reading/parsing/parser-pool.ts";
import { withPeakMemory } from "../sql/resident-memory.ts";
import { textTable } from "../text-table.ts";
import { measureSet } from "./measured-set.ts";
import { parseSet } from "./parsed-set.ts";
import { areaUnderCurve, type Judged } from "./ranking.ts";
import { DOCUMENT_SETS } from "./sets.ts";

export interface DocumentsOptions {
  readonly folder: string;
  /** Folders of sets to take (`docs_…`); empty = all. */
  readonly only: readonly string[];
  readonly quick: boolean;
  readonly print: (text: string) => void;
}

const QUICK_SETS = ["docs_sroie_receipts", "docs_kleister_nda"];
const PAGES = 1000;
const PAGES_OF = "docs_sec_10q/docs";

export async function benchDocuments(options: DocumentsOptions): Promise<void> {
  const { folder, quick, print } = options;
  const only = quick && options.only.length === 0 ? QUICK_SETS : options.only;
  const rows: string[][] = [];
  const judged: Judged[] = [];
  const scratch = mkdtempSync(join(tmpdir(), "distillery-documents-"));
  try {
    for (const set of DOCUMENT_SETS) {
      if (only.length > 0 && !only.includes(set.folder.split("/")[0]!)) continue;
      const { result, peak } = await withPeakMemory(process.pid, async () => {
        const parsed = await parseSet(join(folder, set.folder), scratch);
        return { parsed, measured: await measureSet(set, folder, parsed.documents) };
      });
      const { parsed, measured } = result;
      judged.push(...measured.answers);
      for (const refusal of parsed.refused) print(`\n${set.name}: refused ${refusal}\n`);
      const gold = measured.recalled.length + measured.missed.length;
      rows.push([
        set.name,
        String(parsed.documents.length),
        String(parsed.pages),
        parsed.seconds.toFixed(1),
        measured.seconds.toFixed(1),
        String(measured.questions.length),
        `${measured.recalled.length}/${gold}`,
        measured.accuracy
          .map(({ field, right, asked }) => `${field} ${percent(right, asked)}`)
          .join(", "),
        area(measured.answers),
        `${Math.round(peak / 2 ** 20)}`,
      ]);
      print(`\n${set.name} (${set.skill}; missed: ${measured.missed.join(", ") || "none"})\n`);
      for (const { id, question, unit, enum: values } of measured.questions) {
        const ending = `${unit === null ? "" : ` [${unit}]`}${values.length === 0 ? "" : ` {${values.join(" | ")}}`}`;
        print(`  ${id}: ${question}${ending}\n`);
      }
    }
    const header = [
      "",
      "documents",
      "pages",
      "parse s",
      "induce s",
      "questions",
      "gold fields",
      "right on the other half",
      "confidence AUC",
      "peak MB",
    ];
    print(`\nDocuments, offline inducer, defaults\n${textTable(header, rows)}\n`);
    print(`Confidence against correctness, all sets: AUC ${area(judged)} of ${judged.length}\n`);
    if (!quick) await pagesOfPdf(join(folder, PAGES_OF), print);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function area(answers: readonly Judged[]): string {
  return areaUnderCurve(answers)?.toFixed(2) ?? "";
}

function percent(right: number, asked: number): string {
  return `${Math.round((100 * right) / asked)} % of ${asked}`;
}

/** The same files again and again until there are as many pages. */
async function pagesOfPdf(folder: string, print: (text: string) => void): Promise<void> {
  const files = readdirSync(folder).filter((name) => name.endsWith(".pdf"));
  const pool = new ParserPool();
  const signal = new AbortController().signal;
  const started = performance.now();
  try {
    const { result: pages, peak } = await withPeakMemory(process.pid, async () => {
      let read = 0;
      let next = 0;
      const reader = async (): Promise<void> => {
        while (read < PAGES) {
          const name = files[next++ % files.length]!;
          const parsed = await pool.parse(
            { path: join(folder, name), name, mediaType: null },
            signal,
          );
          read += parsed.pages.length;
        }
      };
      await Promise.all([reader(), reader()]);
      return read;
    });
    const seconds = (performance.now() - started) / 1000;
    const memory = Math.round(peak / 2 ** 20);
    print(`\n${pages} pages of PDF text: ${seconds.toFixed(1)} s, peak ${memory} MB\n`);
  } finally {
    await pool.close();
  }
}
