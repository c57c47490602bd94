/** Documents to work on: chosen one by one, or all that are listed. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { client } from "../../../api/client.ts";
import { Button } from "../../../ui/button.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { counted } from "../../../ui/numbers.ts";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Text } from "../../../ui/text.tsx";
import { Time } from "../../../ui/time.tsx";

const PAGE = 100;

interface DocumentChoiceProps {
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
  readonly fault?: string | undefined;
}

export function DocumentChoice({ chosen, onChange, fault }: DocumentChoiceProps) {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery(
    {
      queryKey: ["documents", "to-choose"],
      queryFn: ({ pageParam, signal }) =>
        client.documents.list.query(
          { limit: PAGE, page_token: pageParam, status: "ready" },
          { signal },
        ),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ next_page_token }) => next_page_token ?? undefined,
    },
  );
  if (data === undefined) {
    return error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading />;
  }
  const documents = data.pages.flatMap((page) => page.documents);
  if (documents.length === 0) {
    return (
      <p>
        There is no document yet. <Link to="/documents">Upload some</Link> first.
      </p>
    );
  }
  const toggle = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  };
  return (
    <fieldset className="document-choice">
      <legend>
        Documents: {chosen.size} of {documents.length}
        {hasNextPage && " listed"} chosen
      </legend>
      <div className="row">
        <Button
          look="quiet"
          onClick={() => onChange(new Set(documents.map(({ document_id }) => document_id)))}
        >
          Choose all {hasNextPage ? "listed" : ""}
        </Button>
        <Button look="quiet" onClick={() => onChange(new Set())}>
          Choose none
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <ul tabIndex={0} aria-label="Documents to choose from">
        {documents.map(({ document_id, name, pages, created_at }) => (
          <li key={document_id}>
            <label className="check">
              <input
                type="checkbox"
                checked={chosen.has(document_id)}
                onChange={() => toggle(document_id)}
              />
              <span>
                <Text of={name} />{" "}
                <span className="note">
                  {counted(pages ?? 1, "page")}, <Time at={created_at} />
                </span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          List more
        </Button>
      )}
      {fault && <p className="fault">{fault}</p>}
    </fieldset>
  );
}
