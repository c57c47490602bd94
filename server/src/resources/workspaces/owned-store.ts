/** The SQL of what a workspace owns by name: of catalogs, schemas and tables, each in a table of its own. */

import type { Database, Sql } from "../../platform/db/database.ts";

export interface OwnedRow {
  readonly id: string;
  /** The last segment of its name. */
  readonly name: string;
  readonly revision: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Columns with the names of parents, such as `{catalog: "main"}`. */
export type Names = Readonly<Record<string, string>>;

/** A resource's own columns: texts as they are, anything else as JSON, to the letter. */
export type Columns = Readonly<Record<string, string | object | null>>;

export interface Occupancy {
  readonly count: number;
  /** The highest revision among them, 0 where there are none. */
  readonly highest: number;
}

/** How many there are under these parents, which need not be all that one has. */
export type Within = (sql: Sql, organizationId: string, parents: Names) => Promise<Occupancy>;

export class OwnedStore<Row extends OwnedRow> {
  readonly #table: string;
  readonly #columns: string;

  /** @param own the row's columns beside those that all have */
  constructor(table: string, own: readonly (string & keyof Row)[]) {
    this.#table = table;
    this.#columns = ["id", "name", "revision", "created_at", "updated_at", ...own].join(", ");
  }

  /** Null where there is one of this name. */
  async insert(
    sql: Sql,
    organizationId: string,
    parents: Names,
    { id, name, revision }: Pick<Row, "id" | "name" | "revision">,
    own: Columns,
  ): Promise<Row | null> {
    const columns = Object.keys({ ...parents, ...own }).join(", ");
    const values = Object.values({ ...parents, ...own });
    const rows = await sql<Row[]>`
      insert into ${sql(this.#table)} (organization_id, id, name, revision, created_at, updated_at,
                                       ${sql.unsafe(columns)})
      values (${organizationId}, ${id}, ${name}, ${revision}, clock_timestamp(), clock_timestamp()
              ${values.map((value) => sql`, ${stored(sql, value)}`)})
      on conflict do nothing
      returning ${sql.unsafe(this.#columns)}`;
    return rows[0] ?? null;
  }

  /** For a transaction that has locked the workspace. */
  async read(sql: Sql, organizationId: string, parents: Names, name: string): Promise<Row | null> {
    const rows = await sql<Row[]>`
      select ${sql.unsafe(this.#columns)} from ${sql(this.#table)}
      where ${among(sql, organizationId, { ...parents, name })}`;
    return rows[0] ?? null;
  }

  /** By the path of its name. */
  async find(
    db: Database,
    organizationId: string,
    workspace: string,
    parents: Names,
    name: string,
  ): Promise<Row | null> {
    const rows = await db.read<Row[]>(
      organizationId,
      (sql) => sql`
        select ${sql.unsafe(this.#columns)} from ${sql(this.#table)}
        where ${among(sql, organizationId, { ...parents, name })}
          and exists (select from workspaces w
                      where w.organization_id = ${organizationId} and w.name = ${workspace})`,
    );
    return rows[0] ?? null;
  }

  /** In the order of names; one more than `limit` where there is a further page. */
  async list(
    db: Database,
    organizationId: string,
    parents: Names,
    limit: number,
    after: string,
  ): Promise<readonly Row[]> {
    return db.read<Row[]>(
      organizationId,
      (sql) => sql`
        select ${sql.unsafe(this.#columns)} from ${sql(this.#table)}
        where ${among(sql, organizationId, parents)} and name > ${after}
        order by name limit ${limit + 1}`,
    );
  }

  /** The next revision, with these columns. */
  async update(
    sql: Sql,
    organizationId: string,
    parents: Names,
    name: string,
    own: Columns,
  ): Promise<Row | null> {
    const changes = Object.entries(own);
    const rows = await sql<Row[]>`
      update ${sql(this.#table)}
      set revision = revision + 1, updated_at = clock_timestamp()
          ${changes.map(([column, value]) => sql`, ${sql(column)} = ${stored(sql, value)}`)}
      where ${among(sql, organizationId, { ...parents, name })}
      returning ${sql.unsafe(this.#columns)}`;
    return rows[0] ?? null;
  }

  /** With all that it owns. */
  async delete(sql: Sql, organizationId: string, parents: Names, name: string): Promise<void> {
    await sql`
      delete from ${sql(this.#table)}
      where ${among(sql, organizationId, { ...parents, name })}`;
  }

  readonly within: Within = async (sql, organizationId, parents) => {
    const [row] = await sql<[Occupancy]>`
      select count(*) as count, coalesce(max(revision), 0) as highest from ${sql(this.#table)}
      where ${among(sql, organizationId, parents)}`;
    return row;
  };
}

const among = (sql: Sql, organizationId: string, names: Names) =>
  Object.entries(names).reduce(
    (all, [column, name]) => sql`${all} and ${sql(column)} = ${name}`,
    sql`organization_id = ${organizationId}`,
  );

const stored = (sql: Sql, value: string | object | null) =>
  typeof value === "string"
    ? sql`${value}`
    : sql`${value === null ? null : JSON.stringify(value)}::text::json`;
