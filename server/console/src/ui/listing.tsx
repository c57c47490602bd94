/** Lists that come page by page: as a table, with the rest on demand. */

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Loading } from "./loading.tsx";
import { ProblemNote } from "./problem.tsx";

export interface Column<Item> {
  readonly head: string;
  readonly cell: (item: Item) => ReactNode;
  /** Numbers stand at the right, digit below digit. */
  readonly isNumber?: boolean;
  /** A box that chooses the row; what follows it says what the row is of. */
  readonly isChoice?: boolean;
}

interface ListingProps<Item> {
  /** Of the cache; what the list is filtered by is part of it. */
  readonly queryKey: readonly unknown[];
  readonly page: (
    pageToken: string | undefined,
    signal: AbortSignal,
  ) => Promise<{ readonly items: readonly Item[]; readonly next: string | null | undefined }>;
  readonly columns: readonly Column<Item>[];
  readonly keyOf: (item: Item) => string;
  /** What the table is of, for those who do not see it. */
  readonly caption: string;
  readonly empty: ReactNode;
  /** Milliseconds between refreshes while the list is looked at. */
  readonly refreshMs?: number;
}

export function Listing<Item>({
  queryKey,
  page,
  columns,
  keyOf,
  caption,
  empty,
  refreshMs,
}: ListingProps<Item>) {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery(
    {
      queryKey,
      queryFn: ({ pageParam, signal }) => page(pageParam, signal),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ next }) => (next === null || next === "" ? undefined : next),
      // What is typed narrows the list; until the answer comes the last one stays.
      placeholderData: keepPreviousData,
      ...(refreshMs === undefined ? {} : { refetchInterval: refreshMs }),
    },
  );
  if (data === undefined) {
    return error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading />;
  }
  const items = data.pages.flatMap((each) => each.items);
  if (items.length === 0) return empty;
  return (
    <>
      {error && <ProblemNote error={error} retry={() => void refetch()} />}
      <DataTable columns={columns} items={items} keyOf={keyOf} caption={caption} />
      {hasNextPage && (
        <p>
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </p>
      )}
    </>
  );
}

interface DataTableProps<Item> {
  readonly columns: readonly Column<Item>[];
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly caption: string;
}

/** A table of some dozens of rows; at phone width each row is a card of its own. */
export function DataTable<Item>({ columns, items, keyOf, caption }: DataTableProps<Item>) {
  const titled = columns.findIndex(({ isChoice }) => !isChoice);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className="scroll" tabIndex={0} aria-label={caption}>
      <table className="stacks">
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, isNumber }) => (
              <th key={head} scope="col" className={isNumber ? "n" : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)}>
              {columns.map((column, place) => {
                const content = column.cell(item);
                return (
                  <td
                    key={column.head}
                    data-head={column.head}
                    className={classOf(column, place === titled, content)}
                  >
                    {content}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function classOf<Item>(
  { isNumber, isChoice }: Column<Item>,
  isTitle: boolean,
  content: ReactNode,
): string | undefined {
  const isNothing = content === "–" || content === null;
  const names = [
    isNumber && "n",
    isChoice && "choice",
    isTitle && "title",
    // At phone width that there is nothing takes no line.
    isNothing && !isTitle && "nothing",
  ];
  return names.filter((name) => name !== false && name !== undefined).join(" ") || undefined;
}
