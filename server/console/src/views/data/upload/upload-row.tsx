/** One upload: how far it is, how long it takes, and what came of it. */

import { useEffect, useState } from "react";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { counted, percent, size, span } from "../../../ui/numbers.ts";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Text } from "../../../ui/text.tsx";
import { PARTS_FROM_BYTES } from "./send-parts.ts";
import { cancelUpload, forgetUpload, pauseUpload, sendAgain, type Upload } from "./uploads.ts";

export function UploadRow({ upload }: { readonly upload: Upload }) {
  const { id, name, file, state } = upload;
  return (
    <li className="card">
      <h2>
        <Text of={name} /> <small className="note">{size(file.size)}</small>
      </h2>
      <Progress upload={upload} />
      <div className="actions">
        {state.step === "done" && (
          <>
            <ButtonLink look="main" to={`/data/datasets/${state.dataset.dataset_id}`}>
              Look at it
            </ButtonLink>
            <ButtonLink to={`/train/new?dataset=${state.dataset.dataset_id}`}>
              Train a model
            </ButtonLink>
          </>
        )}
        {(state.step === "failed" || state.step === "cancelled") && (
          <Button onClick={() => sendAgain(id)}>Send it again</Button>
        )}
        {state.step === "paused" && (
          <Button look="main" onClick={() => sendAgain(id)}>
            Go on
          </Button>
        )}
        {(state.step === "sending" || state.step === "interrupted") &&
          file.size >= PARTS_FROM_BYTES && <Button onClick={() => pauseUpload(id)}>Pause</Button>}
        {state.step === "done" || state.step === "failed" || state.step === "cancelled" ? (
          <Button look="quiet" onClick={() => forgetUpload(id)}>
            Remove from this list
          </Button>
        ) : (
          <Button look="danger" onClick={() => cancelUpload(id)}>
            Cancel
          </Button>
        )}
      </div>
    </li>
  );
}

function Progress({ upload: { name, file, state } }: { readonly upload: Upload }) {
  switch (state.step) {
    case "waiting":
      return <p className="note">Waits for the files before it.</p>;
    case "sending": {
      const { sentBytes, startedAt, fromBytes } = state;
      return (
        <>
          <progress
            max={Math.max(1, file.size)}
            value={sentBytes}
            aria-label={`${name.slice(0, 100)} is sent`}
          />
          <p className="note">
            {percent(sentBytes, file.size)} of {size(file.size)} sent
            {timeLeft(sentBytes - fromBytes, file.size - fromBytes, startedAt)}
          </p>
        </>
      );
    }
    case "reading":
      return (
        <p className="note" role="status">
          All of it was sent. The service reads the table and profiles its columns…
        </p>
      );
    case "interrupted":
      return <Interrupted againAt={state.againAt} isInParts={file.size >= PARTS_FROM_BYTES} />;
    case "paused":
      return <p role="status">Paused. What has been sent is kept for seven days.</p>;
    case "cancelled":
      return <p>Cancelled. Nothing of it was kept.</p>;
    case "failed":
      return <ProblemNote error={state.error} />;
    case "done": {
      const { rows, columns, warnings } = state.dataset;
      return (
        <p role="status">
          {counted(rows, "row")} and {counted(columns.length, "column")}
          {warnings.length > 0 && `, with ${counted(warnings.length, "warning")}`}.
        </p>
      );
    }
  }
}

interface InterruptedProps {
  readonly againAt: number;
  readonly isInParts: boolean;
}

function Interrupted({ againAt, isInParts }: InterruptedProps) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((againAt - now) / 1000));
  return (
    <p className="warnings" role="status">
      The connection was lost.{" "}
      {isInParts ? "It goes on where it was" : "The file is sent again, from its beginning,"}{" "}
      {seconds === 0 ? "now" : `in ${span(seconds)}`}; it will be registered once.
    </p>
  );
}

/** After so long the rate says something. */
const LEAST_MS = 1_500;

function timeLeft(sent: number, total: number, startedAt: number): string {
  const passedMs = Date.now() - startedAt;
  if (passedMs < LEAST_MS || sent === 0) return "";
  const perSecond = (sent / passedMs) * 1000;
  return `, ${size(perSecond)} a second, ${span((total - sent) / perSecond)} left`;
}
