/** Catalogs, their schemas and their tables, each asked for when it is opened; and what tables are read by. */

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link, NavLink } from "react-router";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { Button } from "../../../ui/button.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Text } from "../../../ui/text.tsx";
import { FindDataset, useFind } from "../datasets/find-dataset.tsx";

/** The last segment of a resource's name. */
const lastOf = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

interface Branch {
  readonly id: string;
  /** Where that is not its id. */
  readonly name?: string;
}

type BranchPage = (
  pageToken: string | undefined,
  signal: AbortSignal,
) => Promise<{ readonly items: readonly Branch[]; readonly next: string }>;

export function CatalogTree({ workspace }: { readonly workspace: string }) {
  const seesDatasets = useScope("datasets:read");
  const seesConnectors = useScope("connectors:read");
  return (
    <>
      <h2>Catalogs</h2>
      <OwnCatalogs workspace={workspace} />
      {seesDatasets && <Datasets />}
      {seesConnectors && <Connectors />}
    </>
  );
}

/** Each leads to where it is tested and used. */
function Connectors() {
  return (
    <>
      <h2>Connectors</h2>
      <Branches
        queryKey={["connectors", "objstore", "tree"]}
        empty="No object store yet."
        page={async (page_token, signal) => {
          const page = await client.objectStoreConnectors.list.query(
            { limit: 50, page_token },
            { signal },
          );
          const items = page.items.map(({ connector_name: id }) => ({ id }));
          return { items, next: page.next_page_token ?? "" };
        }}
        show={connectorLink}
      />
      <Branches
        queryKey={["connectors", "warehouse", "tree"]}
        empty="No database yet."
        page={async (page_token, signal) => {
          const page = await client.warehouseConnectors.list.query(
            { limit: 50, page_token },
            { signal },
          );
          const items = page.items.map(({ connector_name: id }) => ({ id }));
          return { items, next: page.next_page_token ?? "" };
        }}
        show={connectorLink}
      />
    </>
  );
}

const connectorLink = ({ id }: Branch) => (
  <Link to="/data/connectors">
    <Text of={id} most={60} />
  </Link>
);

/** The catalog that every workspace has. */
function Datasets() {
  const [isOpen, setIsOpen] = useState(true);
  const contains = useFind();
  // Who goes on to a dataset goes on with what was found.
  const search = contains === undefined ? "" : `&find=${encodeURIComponent(contains)}`;
  return (
    <ul className="tree">
      <li>
        <Opener label="datasets" isOpen={isOpen} onClick={() => setIsOpen(!isOpen)} />
        datasets
        {isOpen && (
          <>
            <FindDataset />
            <Branches
              queryKey={["datasets", "tree", contains ?? ""]}
              empty={
                contains === undefined
                  ? "There is no dataset yet."
                  : "No dataset has this in its name."
              }
              page={async (page_token, signal) => {
                const { datasets, next_page_token: next } = await client.datasets.list.query(
                  { limit: 50, page_token, max_columns: 0, contains },
                  { signal },
                );
                const items = datasets.map(({ dataset_id, sql_name }) => ({
                  id: dataset_id,
                  name: sql_name,
                }));
                return { items, next: next ?? "" };
              }}
              show={({ id, name = id }) => (
                <NavLink to={`/data/catalog/datasets/main/${name}?dataset=${id}${search}`}>
                  {name}
                </NavLink>
              )}
            />
          </>
        )}
      </li>
    </ul>
  );
}

function OwnCatalogs({ workspace }: { readonly workspace: string }) {
  const workspace_id = workspace;
  return (
    <Branches
      queryKey={["workspace", workspace, "catalogs"]}
      empty="None of your own yet."
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
      <Opener label={label} isOpen={isOpen} onClick={() => setIsOpen(!isOpen)} />
      <NavLink to={address} end>
        {label}
      </NavLink>
      {isOpen && children}
    </>
  );
}

function Opener({
  label,
  isOpen,
  onClick,
}: {
  readonly label: string;
  readonly isOpen: boolean;
  readonly onClick: () => void;
}) {
  return (
    <Button
      look="quiet"
      className="tree-opener"
      aria-expanded={isOpen}
      aria-label={`${isOpen ? "Fold" : "Open"} ${label}`}
      onClick={onClick}
    >
      {isOpen ? "−" : "+"}
    </Button>
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
      placeholderData: keepPreviousData,
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
