import fc from "fast-check";
import { expect, it } from "vitest";
import { type AliasName, type AliasTarget, walkAliases } from "./walk.ts";

const toModel = (id: string): AliasTarget => ({
  model_id: id,
  target_name: null,
  target_alias: null,
});
const toAlias = (alias: string): AliasTarget => ({
  model_id: null,
  target_name: "churn",
  target_alias: alias,
});

/** Of each of some aliases, the number of the alias that it follows; one beyond them = a model. */
const links = fc
  .integer({ min: 1, max: 24 })
  .chain((count) =>
    fc.array(fc.integer({ min: 0, max: count + 2 }), { minLength: count, maxLength: count }),
  );

const walkOver = (following: readonly number[], from: number) =>
  walkAliases({ name: "churn", alias: `a${from}` }, ({ alias }: AliasName) => {
    const next = following[Number(alias.slice(1))];
    if (next === undefined) return null;
    return next === following.length ? toModel("m") : toAlias(`a${next}`);
  });

it("ends as pointers that are followed one by one do", async () => {
  await fc.assert(
    fc.asyncProperty(links, async (following) => {
      for (const from of following.keys()) {
        // More steps than there are aliases: what is met then was met before.
        let at: number | undefined = from;
        for (let step = 0; step <= following.length && at !== undefined; step++) {
          if (at === following.length) break;
          at = following[at];
        }
        const expected =
          at === following.length
            ? "model"
            : at === undefined || at > following.length
              ? "missing"
              : "cycle";
        const walk = await walkOver(following, from);
        expect(walk.kind).toBe(expected);
        if (walk.kind !== "cycle") continue;
        // It leads back to one of its own, and each step is a link.
        const path = walk.path.map((reference) => Number(reference.slice("churn@a".length)));
        expect(path.slice(0, -1)).toContain(path.at(-1));
        for (const [index, alias] of path.slice(0, -1).entries()) {
          expect(following[alias]).toBe(path[index + 1]);
        }
      }
    }),
  );
});

it("of an alias to itself is a circle", async () => {
  expect(await walkOver([0], 0)).toEqual({ kind: "cycle", path: ["churn@a0", "churn@a0"] });
});

it("takes 32 aliases in a row and no more", async () => {
  const row = (length: number) => Array.from({ length }, (_, index) => index + 1);
  expect(await walkOver(row(32), 0)).toEqual({ kind: "model", modelId: "m" });
  expect(await walkOver(row(33), 0)).toEqual({ kind: "long", most: 32 });
});
