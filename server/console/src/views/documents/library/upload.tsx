/** Files chosen or dropped, sent one by one, each with how far it is. */

import { ServiceError } from "@distillery/client";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { client } from "../../../api/client.ts";
import { Button } from "../../../ui/button.tsx";
import { DropZone } from "../../../ui/drop-zone.tsx";
import { faultText } from "../../../ui/fault-text.ts";
import { counted, size } from "../../../ui/numbers.ts";
import { Text } from "../../../ui/text.tsx";
import { doneOf, enqueued, type Upload as Item, isOver, nextOf } from "./queue.ts";

interface Answer {
  readonly documents: readonly { readonly document_id: string }[];
}

async function send(file: File, onSent: (share: number) => void): Promise<string> {
  const form = new FormData();
  form.append("files", file);
  const response = await client.send("/v1/documents", form, {
    onProgress: ({ sentBytes, totalBytes }) => onSent(totalBytes ? sentBytes / totalBytes : 0),
  });
  const { documents }: Answer = await response.json();
  return documents[0]?.document_id ?? "";
}

/** There is one file in each request, whose place in it says nothing. */
function wordsOf(error: unknown): string {
  if (error instanceof ServiceError && error.faults[0]) return faultText(error.faults[0].msg);
  return error instanceof Error ? error.message : String(error);
}

export function Upload() {
  const queries = useQueryClient();
  const [uploads, setUploads] = useState<readonly Item[]>([]);
  const last = useRef(0);
  const begun = useRef(new Set<number>());
  const put = (item: Item): void =>
    setUploads((all) => all.map((each) => (each.id === item.id ? item : each)));
  const add = (files: Iterable<File>): void => {
    const chosen = [...files];
    const first = last.current + 1;
    last.current += chosen.length;
    setUploads((all) => enqueued(all, chosen, first));
  };
  useEffect(() => {
    for (const { id: own, file } of nextOf(uploads)) {
      // An effect may run twice for one state.
      if (begun.current.has(own)) continue;
      begun.current.add(own);
      put({ id: own, file, state: "sending", sent: 0 });
      send(file, (sent) => put({ id: own, file, state: "sending", sent }))
        .then((documentId) => put({ id: own, file, state: "done", documentId }))
        .catch((error: unknown) => {
          put({ id: own, file, state: "failed", why: wordsOf(error) });
        })
        .finally(() => void queries.invalidateQueries({ queryKey: ["documents"] }));
    }
  });
  const isDone = isOver(uploads);
  useEffect(() => {
    if (isDone) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isDone]);
  const failed = uploads.filter(({ state }) => state === "failed").length;
  return (
    <>
      <DropZone
        label="Upload documents"
        what="documents"
        onFiles={add}
        note="PDF, DOCX, mail, HTML, Markdown, text, CSV, JSON and images, up to 50 MiB each."
      />
      {uploads.length > 0 && (
        <section className="card" aria-label="Uploads">
          <div className="row" role="status">
            <progress aria-label="All files" value={doneOf(uploads)} max={1} />
            {isDone
              ? `${counted(uploads.length - failed, "document")} uploaded${failed > 0 ? `, ${failed} refused` : ""}.`
              : `Uploading ${counted(uploads.length, "file")}…`}
            {isDone && (
              <Button look="quiet" onClick={() => setUploads([])}>
                Clear
              </Button>
            )}
          </div>
          <ul className="sent-files">
            {uploads.map((each) => (
              <li key={each.id}>
                {each.state === "done" ? (
                  <Link to={`/documents/${each.documentId}`}>
                    <Text of={each.file.name} />
                  </Link>
                ) : (
                  <Text of={each.file.name} />
                )}{" "}
                <span className="note">{size(each.file.size)}</span> <State of={each} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function State({ of }: { readonly of: Item }) {
  if (of.state === "waiting") return <span className="note">waiting</span>;
  if (of.state === "failed") return <span className="fault">{of.why}</span>;
  if (of.state === "done") return <span className="status good">uploaded</span>;
  if (of.sent >= 1) return <span className="note">being read…</span>;
  return <progress aria-label={`Sending ${of.file.name}`} value={of.sent} max={1} />;
}
