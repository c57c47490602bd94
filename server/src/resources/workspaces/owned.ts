/**
 * What a workspace owns by name (catalogs, their schemas, their tables; saved statements) is created, shown, listed,
 * patched and deleted in one way, which is written here; a resource says what is its own as an
 * `OwnedDefinition`. Where the parent reads from a warehouse, its children are those of the warehouse:
 * they are shown, and not stored and not changed here.
 */

import type { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import { assertIfMatch, entityTag } from "../../api/masks/etag.ts";
import type { MaskMessage } from "../../api/masks/field-mask.ts";
import { readPatch } from "../../api/masks/patch.ts";
import { type NamePageRequest, NamePages } from "../../api/paging/name-pages.ts";
import { conflict, notFound } from "../../platform/input/problem.ts";
import {
  assertEmpty,
  assertRevision,
  type Change,
  changeWorkspace,
  type DeleteRequest,
  type PatchRequest,
} from "./change.ts";
import { assertName, createdId } from "./names.ts";
import type { Columns, Names, Occupancy, OwnedRow, OwnedStore } from "./owned-store.ts";

/** What every request form holds, and every answer. */
interface OwnedForm {
  readonly name: string;
  readonly revision: string;
}
interface OwnedView {
  readonly revision: string;
}

/** Children that a warehouse has. */
export interface SourceChildren<Shown> {
  /** In byte order; without those that cannot be segments of a name here. */
  names(): Promise<readonly string[]>;
  show(name: string): Shown;
}

export interface OwnedDefinition<
  /** The path's parameters that lead to its parent, the workspace first. */
  Parents extends { readonly workspace_id: string },
  Row extends OwnedRow,
  Form extends OwnedForm,
  Shown extends OwnedView,
> {
  readonly kind: "catalog" | "schema" | "statement" | "table";
  readonly parentKind: "workspace" | "catalog" | "schema";
  readonly store: OwnedStore<Row>;
  /** The request form. */
  readonly form: z.ZodType<Form>;
  /** Whether a PATCH without a mask must hold a whole resource; absent = the members that it writes. */
  readonly patchIsWhole?: boolean;
  /** What a field mask can name. */
  readonly fields: MaskMessage;
  /** Its columns with the names of its parents. */
  keyOf(parents: Parents): Names;
  /** Such as `workspaces/{workspace}/catalogs/{catalog}`. */
  fullName(parents: Parents, name: string): string;
  /** In the refusal of a second one of its name: `catalog 'sales'`. */
  titleOf(parents: Parents, name: string): string;
  show(parents: Parents, row: Row): Shown;
  /** The text of its ETag. */
  tagOf(shown: Shown): string;
  /** The members of the form that a request may change, as they are stored. */
  writtenIn(row: Row): Readonly<Record<string, unknown>>;
  isUnchanged(row: Row, form: Form): boolean;

  /** The parent for a reader, with its children where they are a warehouse's; null = there is none. */
  findParent(
    ctx: AuthedContext,
    parents: Parents,
  ): Promise<{ readonly source: SourceChildren<Shown> | null } | null>;
  /** The parent for a writer. @throws 404; 409 where its children are a warehouse's */
  assertOwner(change: Change, parents: Parents): Promise<void>;
  /** A look at what a form speaks of, before the transaction. @throws UnprocessableError */
  look?(ctx: AuthedContext, form: Form): Promise<void>;
  /** The columns of a form that is about to be written. @throws UnprocessableError */
  columnsOf(change: Change, name: string, form: Form): Promise<Columns>;
  /** Before a change of what is there is written. @throws 409 */
  beforeUpdate?(name: string, form: Form, children: Occupancy): void;
  /** Asked before they go with their parent; absent where it owns nothing. */
  readonly children?: {
    readonly kind: "schema" | "table";
    within(change: Change, parents: Parents, name: string): Promise<Occupancy>;
  };
}

const NO_CHILDREN: Occupancy = { count: 0, highest: 0 };

/** The operations of a resource; each but `list` and `delete` sets the `ETag` of what it answers. */
export function owned<
  Parents extends { readonly workspace_id: string },
  Row extends OwnedRow,
  Form extends OwnedForm,
  Shown extends OwnedView,
>(definition: OwnedDefinition<Parents, Row, Form, Shown>) {
  const { kind, store, keyOf, fullName, columnsOf, isUnchanged } = definition;

  const answer = (ctx: AuthedContext, shown: Shown): Shown => {
    ctx.setHeader("etag", entityTag(definition.tagOf(shown)));
    return shown;
  };

  /** A change under a parent that owns its children, in the form in which its result is shown. */
  const write = async (
    ctx: AuthedContext,
    parents: Parents,
    work: (change: Change) => Promise<Row>,
  ): Promise<Shown> => {
    const row = await changeWorkspace(ctx, parents.workspace_id, async (change) => {
      await definition.assertOwner(change, parents);
      return work(change);
    });
    return answer(ctx, definition.show(parents, row));
  };

  const insert = async (
    ctx: AuthedContext,
    change: Change,
    parents: Parents,
    name: string,
    form: Form,
  ): Promise<Row> => {
    const { sql, organizationId, workspace } = change;
    assertRevision(form.revision, null);
    const id = ctx.newId();
    const row = { id, name, revision: workspace.first_revision };
    const columns = await columnsOf(change, name, form);
    const made = await store.insert(sql, organizationId, keyOf(parents), row, columns);
    if (made === null) {
      const there = await store.read(sql, organizationId, keyOf(parents), name);
      // The same request, run again after it was interrupted, meets its own row.
      if (there?.id === id) return there;
      throw conflict(`There is a ${definition.titleOf(parents, name)} already.`);
    }
    await change.advance();
    return made;
  };

  const find = ({ services, auth }: AuthedContext, parents: Parents, name: string) =>
    store.find(services.db, auth.organizationId, parents.workspace_id, keyOf(parents), name);

  const childrenOf = async (change: Change, parents: Parents, name: string) =>
    (await definition.children?.within(change, parents, name)) ?? NO_CHILDREN;

  return {
    /** @param id of the query; undefined = that of the form's name @throws 404, 409, 422 */
    async create(
      ctx: AuthedContext,
      parents: Parents,
      id: string | undefined,
      form: Form,
    ): Promise<Shown> {
      await definition.look?.(ctx, form);
      return write(ctx, parents, (change) => {
        const name = createdId(`${kind}Id`, id, form.name, (chosen) => fullName(parents, chosen));
        return insert(ctx, change, parents, name, form);
      });
    },

    /** @throws 404, 422, and what reading a warehouse throws */
    async list(
      ctx: AuthedContext,
      parents: Parents,
      page: NamePageRequest,
    ): Promise<{ entries: Shown[]; nextPageToken: string }> {
      const { services, auth } = ctx;
      const parent = await definition.findParent(ctx, parents);
      if (parent === null) throw notFound(definition.parentKind);
      const names = keyOf(parents);
      const pages = new NamePages(services, `${kind}s`);
      const filter = [auth.organizationId, parents.workspace_id, ...Object.values(names)];
      const after = pages.start(filter, page);
      const { source } = parent;
      if (source !== null) {
        const asked = pageOfNames(await source.names(), after, page.pageSize);
        const { entries, nextPageToken } = pages.cut(filter, page, asked);
        return { entries: entries.map(({ name }) => source.show(name)), nextPageToken };
      }
      const rows = await store.list(services.db, auth.organizationId, names, page.pageSize, after);
      const { entries, nextPageToken } = pages.cut(filter, page, rows);
      return { entries: entries.map((row) => definition.show(parents, row)), nextPageToken };
    },

    /** @throws 404, and what reading a warehouse throws */
    async get(ctx: AuthedContext, parents: Parents, name: string): Promise<Shown> {
      const row = await find(ctx, parents, name);
      if (row !== null) return answer(ctx, definition.show(parents, row));
      const source = (await definition.findParent(ctx, parents))?.source;
      if (source != null && (await source.names()).includes(name)) {
        return answer(ctx, source.show(name));
      }
      throw notFound(kind);
    },

    /** A PATCH that changes nothing leaves revision and times as they are. @throws 404, 409, 412, 422 */
    async patch(
      ctx: AuthedContext,
      parents: Parents,
      name: string,
      request: PatchRequest,
    ): Promise<Shown> {
      const { form, fields, patchIsWhole: isWhole = false } = definition;
      const { updateMask: mask, body } = request;
      const patch = readPatch({ form, fields, mask, body, isWhole });
      const patched = (row: Row | null): Form => {
        const tag = row === null ? null : definition.tagOf(definition.show(parents, row));
        assertIfMatch(request.ifMatch, tag);
        return patch.onto(row === null ? null : definition.writtenIn(row));
      };
      // Before the transaction, which must not wait for what somebody else's system says.
      if (definition.look !== undefined) {
        const before = await find(ctx, parents, name);
        if (before !== null || request.allowMissing) {
          const next = patched(before);
          if (before === null || !isUnchanged(before, next)) await definition.look(ctx, next);
        }
      }
      return write(ctx, parents, async (change) => {
        const { sql, organizationId } = change;
        const row = await store.read(sql, organizationId, keyOf(parents), name);
        if (row === null && !request.allowMissing) throw notFound(kind);
        const next = patched(row);
        assertName(next.name, fullName(parents, name));
        if (row === null) return insert(ctx, change, parents, name, next);
        assertRevision(next.revision, row.revision);
        if (isUnchanged(row, next)) return row;
        const columns = await columnsOf(change, name, next);
        definition.beforeUpdate?.(name, next, await childrenOf(change, parents, name));
        const updated = await store.update(sql, organizationId, keyOf(parents), name, columns);
        await change.advance();
        return updated ?? row;
      });
    },

    /** @throws 404, 409, 412 */
    async delete(
      ctx: AuthedContext,
      parents: Parents,
      name: string,
      request: DeleteRequest,
    ): Promise<void> {
      await changeWorkspace(ctx, parents.workspace_id, async (change) => {
        const { sql, organizationId } = change;
        await definition.assertOwner(change, parents);
        const row = await store.read(sql, organizationId, keyOf(parents), name);
        if (row === null) throw notFound(kind);
        assertIfMatch(request.ifMatch, definition.tagOf(definition.show(parents, row)));
        const { count, highest } = await childrenOf(change, parents, name);
        if (definition.children !== undefined) {
          assertEmpty(`The ${kind} '${name}'`, definition.children.kind, count, request.force);
        }
        await store.delete(sql, organizationId, keyOf(parents), name);
        await change.advance(Math.max(row.revision, highest));
      });
    },
  };
}

/** The page after a name, and one name more where there is a further page. */
function pageOfNames(
  names: readonly string[],
  after: string,
  pageSize: number,
): readonly { readonly name: string }[] {
  const start = names.findIndex((name) => name > after);
  if (start < 0) return [];
  return names.slice(start, start + pageSize + 1).map((name) => ({ name }));
}
