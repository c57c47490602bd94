/** What people say the answers are: kept by the service as labels, with what is being typed before it is. */

import type { Outputs } from "@distillery/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { faultAt } from "../../../ui/field.tsx";
import {
  type Corrections,
  cellKey,
  corrected,
  labelled,
  type Row,
  shownIn,
  written,
} from "./rows.ts";

export type Label = Outputs["agentic"]["listLabels"]["labels"][number];

export const labelsKey = (modelId: string): readonly unknown[] => ["document-labels", modelId];

const PAGE = 500;

async function allLabels(modelId: string, signal: AbortSignal): Promise<readonly Label[]> {
  const all: Label[] = [];
  for (let page_token: string | undefined; ; ) {
    const { labels, next_page_token } = await client.agentic.listLabels.query(
      { model_id: modelId, limit: PAGE, page_token },
      { signal },
    );
    all.push(...labels);
    if (next_page_token === null) return all;
    page_token = next_page_token;
  }
}

export interface Review {
  /** By row and question: labels, and over them what is being typed. */
  readonly corrections: Corrections;
  /** Why what was typed is no answer, by row and question. */
  readonly faults: Readonly<Record<string, string>>;
  readonly labels: readonly Label[];
  /** Why labels could not be asked for. */
  readonly error: Error | null;
  readonly type: (row: number, question: string, text: string) => void;
  /** When somebody leaves the answer: what was typed becomes a label. */
  readonly settle: (row: number, question: string) => void;
  /** Takes back what was typed and is no label yet. */
  readonly takeBack: (row: number, question: string) => void;
}

export function useReview(jobId: string, modelId: string, rows: readonly Row[]): Review {
  const mayWrite = useScope("documents:write");
  const queries = useQueryClient();
  const { data: labels = NONE, error } = useQuery({
    queryKey: labelsKey(modelId),
    queryFn: ({ signal }) => allLabels(modelId, signal),
  });
  const [drafts, setDrafts] = useDrafts(jobId);
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const kept = useMemo(() => labelled(rows, labels), [rows, labels]);
  const corrections = useMemo(() => ({ ...kept, ...drafts }), [kept, drafts]);
  const type = useCallback(
    (row: number, question: string, text: string) => {
      const key = cellKey(row, question);
      setFaults(({ [key]: _, ...others }) => others);
      // Who may keep no labels corrects for this tab alone.
      setDrafts((now) =>
        mayWrite ? { ...now, [key]: text } : corrected(rows, now, row, question, text),
      );
    },
    [rows, mayWrite, setDrafts],
  );
  const takeBack = useCallback(
    (row: number, question: string) => {
      const key = cellKey(row, question);
      setFaults(({ [key]: _, ...others }) => others);
      setDrafts(({ [key]: _, ...others }) => others);
    },
    [setDrafts],
  );
  const settle = useCallback(
    (row: number, question: string) => {
      const key = cellKey(row, question);
      const text = drafts[key];
      const document = rows[row]?.document_id;
      if (!mayWrite || text === undefined || document === undefined) return;
      const settled = (): void => setDrafts(({ [key]: _, ...others }) => others);
      if (text === shownIn(rows, kept, row, question)) {
        settled();
        return;
      }
      const place = { model_id: modelId, document_id: document, question_id: question };
      const hasLabel = labels.some(
        (label) => label.document_id === document && label.question_id === question,
      );
      const isRead = text === written(rows[row]?.answers[question]);
      const done =
        isRead && hasLabel
          ? client.agentic.deleteLabel.mutate(place)
          : client.agentic.setLabel.mutate({ ...place, value: text === "" ? null : text });
      done
        .then(() => queries.invalidateQueries({ queryKey: labelsKey(modelId) }))
        .then(settled)
        .catch((failure: Error) =>
          setFaults((now) => ({ ...now, [key]: faultAt(failure, "value") ?? failure.message })),
        );
    },
    [drafts, rows, kept, labels, mayWrite, modelId, queries, setDrafts],
  );
  return { corrections, faults, labels, error, type, settle, takeBack };
}

const NONE: readonly Label[] = [];

/** In the tab, so that a reload loses nothing that is not a label yet. */
function useDrafts(jobId: string) {
  const key = `distillery.corrections.${jobId}`;
  const [drafts, setDrafts] = useState<Corrections>(() =>
    JSON.parse(sessionStorage.getItem(key) ?? "{}"),
  );
  useEffect(() => sessionStorage.setItem(key, JSON.stringify(drafts)), [key, drafts]);
  return [drafts, setDrafts] as const;
}
