/** Catalogs, their schemas and their tables, each asked for when it is opened. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { NavLink } from "react-router";
import { client } from "../../../api/client.ts";
import { Button } from "../../../ui/button.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";

/** The last segment of a resource's name. */
const lastOf = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

interface Branch {
  readonly id: string;
}

type BranchPage = (
  pageToken: string | undefined,
  signal: AbortSignal,
) => Promise<{ readonly items: readonly Branch[]; readonly next: string }>;

export function CatalogTree({ workspace }: { readonly workspace: string }) {
  const workspace_id = workspace;
  return (
    <Branches
      queryKey={["workspace", workspace, "catalogs"]}
      empty="There is no catalog yet."
      page={async (pageToken, signal) => {
        const page = await client.catalogs.list.query({ workspace_id, pageToken }, { signal });
        const items = page.catalogs.map(({ name }) => ({ id: lastOf(name) }));
        return { items, next: page.nextPageToken };
      }}
      show={(catalog) => (
        <Opening label={catalog.id} address={`/data/catalog/${catalog.id}`}>
          <Schemas workspace={workspace} catalog={catalog.id} />
        </Opening>
      )}
    />
  );
}

function Schemas({ workspace, catalog }: { readonly workspace: string; readonly catalog: string }) {
  const path = { workspace_id: workspace, catalog_id: catalog };
  return (
    <Branches
      queryKey={["workspace", workspace, "schemas", catalog]}
      empty="It has no schema yet."
      page={async (pageToken, signal) => {
        const page = await client.schemas.list.query({ ...path, pageToken }, { signal });
        const items = page.schemas.map(({ name }) => ({ id: lastOf(name) }));
        return { items, next: page.nextPageToken };
      }}
      show={(schema) => (
        <Opening label={schema.id} address={`/data/catalog/${catalog}/${schema.id}`}>
          <Branches
            queryKey={["workspace", workspace, "tables", catalog, schema.id]}
            empty="It has no table yet."
            page={async (pageToken, signal) => {
              const page = await client.tables.list.query(
                { ...path, schema_id: schema.id, pageToken },
                { signal },
              );
              const items = page.tables.map(({ name }) => ({ id: lastOf(name) }));
              return { items, next: page.nextPageToken };
            }}
            show={(table) => (
              <NavLink to={`/data/catalog/${catalog}/${schema.id}/${table.id}`}>{table.id}</NavLink>
            )}
          />
        </Opening>
      )}
    />
  );
}

interface OpeningProps {
  readonly label: string;
  readonly address: string;
  readonly children: ReactNode;
}

function Opening({ label, address, children }: OpeningProps) {
  const [isOpen, setIsOpen] = useState(true);
  return (
    <>
      <Button
        look="quiet"
        className="tree-opener"
        aria-expanded={isOpen}
        aria-label={`${isOpen ? "Fold" : "Open"} ${label}`}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? "−" : "+"}
      </Button>
      <NavLink to={address} end>
        {label}
      </NavLink>
      {isOpen && children}
    </>
  );
}

interface BranchesProps {
  readonly queryKey: readonly string[];
  readonly page: BranchPage;
  readonly show: (branch: Branch) => ReactNode;
  readonly empty: string;
}

function Branches({ queryKey, page, show, empty }: BranchesProps) {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery(
    {
      queryKey,
      queryFn: ({ pageParam, signal }) => page(pageParam, signal),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ next }) => (next === "" ? undefined : next),
    },
  );
  if (data === undefined) {
    return error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading />;
  }
  const branches = data.pages.flatMap(({ items }) => items);
  if (branches.length === 0) return <p className="note">{empty}</p>;
  return (
    <>
      <ul className="tree">
        {branches.map((branch) => (
          <li key={branch.id}>{show(branch)}</li>
        ))}
      </ul>
      {hasNextPage && (
        <Button look="quiet" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  );
}
