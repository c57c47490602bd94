import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type FieldMask,
  FieldMaskError,
  type MaskMessage,
  mergeFields,
  parseFieldMask,
  presentFields,
  snakeCase,
} from "./field-mask.ts";

const value = { kind: "value" } as const;

/** A resource with each kind of member. */
const resource: MaskMessage = {
  kind: "message",
  fields: {
    name: { kind: "output-only" },
    createTime: { kind: "output-only" },
    title: value,
    longText: value,
    labels: { kind: "map" },
    spec: {
      kind: "message",
      oneOf: true,
      fields: {
        squareShape: {
          kind: "message",
          fields: { sideLength: value, corners: value, hints: { kind: "map" } },
        },
        roundShape: { kind: "message", fields: { radius: value } },
      },
    },
  },
};

const merge = (text: string, stored: object, sent: object): object =>
  mergeFields(resource, parseFieldMask(text, resource) as FieldMask, { ...stored }, { ...sent });

const square = { sideLength: 2, corners: ["a"], hints: { "a.b": "1", c: "2" } };
const stored = {
  title: "old",
  longText: "text",
  labels: { x: "1" },
  spec: { squareShape: square },
};

describe("a field mask's text", () => {
  it("is none where it is absent or empty", () => {
    expect(parseFieldMask(null, resource)).toBeNull();
    expect(parseFieldMask("", resource)).toBeNull();
  });

  const refused: [string, RegExp][] = [
    ["nothing", /'nothing' names no member: the resource has name, createTime, title/],
    ["spec.side", /'spec' has squareShape, roundShape/],
    ["title,", /'' names no member/],
    [",title", /'' names no member/],
    ["title,,labels", /names no member/],
    [" title", /names no member/],
    ["title, labels", /names no member/],
    ["Title", /names no member/],
    ["spec.", /'spec' has/],
    [".spec", /names no member/],
    ["title.more", /'title', which is written as a whole/],
    ["spec.squareShape.corners.0", /'spec.squareShape.corners', which is written as a whole/],
    ["spec.squareShape.corners[0]", /names no member/],
    ["createTime.seconds", /written as a whole/],
    ["labels.", /without the key of 'labels'/],
    ["*,title", /stand alone/],
    ["title,*", /stand alone/],
    ["spec.*", /names no member/],
    ["__proto__", /names no member/],
    ["constructor", /names no member/],
  ];
  it.each(refused)("%j is refused", (text, message) => {
    expect(() => parseFieldMask(text, resource)).toThrow(FieldMaskError);
    expect(() => parseFieldMask(text, resource)).toThrow(message);
  });

  it("never fails otherwise than by a FieldMaskError", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^[a-zA-Z.,*_[\]0-9]{0,30}$/)),
        (text) => {
          try {
            parseFieldMask(text, resource);
          } catch (error) {
            expect(error).toBeInstanceOf(FieldMaskError);
          }
        },
      ),
    );
  });
});

describe("a merge", () => {
  it("writes what the mask names, clears what of it the request lacks, and leaves the rest", () => {
    expect(merge("title", stored, { title: "new", longText: "ignored" })).toEqual({
      ...stored,
      title: "new",
    });
    expect(merge("title,longText", stored, { title: "new" })).toEqual({
      title: "new",
      labels: stored.labels,
      spec: stored.spec,
    });
    expect(merge("spec.squareShape.side_length", stored, {})).toEqual({
      ...stored,
      spec: { squareShape: { corners: ["a"], hints: square.hints } },
    });
  });

  it("ignores members that the service sets", () => {
    expect(merge("name,createTime,create_time", stored, { name: "x", createTime: "y" })).toEqual(
      stored,
    );
  });

  it("writes maps as a whole or key by key, dots and all", () => {
    expect(merge("labels", stored, { labels: { y: "2" } })).toMatchObject({ labels: { y: "2" } });
    expect(merge("labels.y", stored, { labels: { y: "2", z: "3" } })).toMatchObject({
      labels: { x: "1", y: "2" },
    });
    expect(merge("labels.x", stored, {})).toEqual({ ...stored, labels: {} });
    expect(
      merge("spec.squareShape.hints.a.b", stored, {
        spec: { squareShape: { hints: { "a.b": "9", c: "9" } } },
      }),
    ).toMatchObject({ spec: { squareShape: { hints: { "a.b": "9", c: "2" } } } });
    expect(merge("labels.k", { title: "t" }, {})).toEqual({ title: "t" });
  });

  it("clears the other arm of a one-of where one is set, and only then", () => {
    const round = { spec: { roundShape: { radius: 1 } } };
    expect(merge("spec.roundShape", stored, round)).toEqual({ ...stored, ...round });
    expect(merge("spec.roundShape.radius", stored, round)).toEqual({ ...stored, ...round });
    expect(merge("spec.roundShape", stored, {})).toEqual(stored);
    expect(merge("spec.roundShape.radius", stored, {})).toEqual(stored);
    expect(
      merge("spec.roundShape.radius", stored, { spec: { roundShape: { radius: null } } }),
    ).toEqual(stored);
    // Both at once is the request's own fault, for the validation to see.
    const both = { spec: { roundShape: { radius: 1 }, squareShape: square } };
    expect(merge("spec.roundShape,spec.squareShape", {}, both)).toEqual(both);
    expect(merge("spec.squareShape.corners,spec.roundShape", stored, both)).toEqual({
      ...stored,
      ...both,
    });
  });

  it("makes no message only to clear its members", () => {
    expect(merge("spec.squareShape.corners", {}, {})).toEqual({});
    expect(merge("spec.squareShape.corners", { spec: null }, {})).toEqual({ spec: null });
  });

  it("passes on what is no object, for the validation to refuse at its place", () => {
    expect(merge("spec.roundShape.radius", stored, { spec: "text" })).toMatchObject({
      spec: "text",
    });
    expect(merge("spec.roundShape.radius", stored, { spec: { roundShape: [1] } })).toMatchObject({
      spec: { roundShape: [1] },
    });
    expect(merge("labels.x", stored, { labels: 5 })).toMatchObject({ labels: 5 });
  });

  it("takes `*` as all that can be written, and no mask as what the request has", () => {
    expect(merge("*", stored, { title: "t", name: "n" })).toEqual({ title: "t" });
    const sent = { title: "t", spec: { roundShape: {} }, name: "n", other: 1 };
    expect(mergeFields(resource, presentFields(resource, sent), stored, sent)).toEqual({
      ...stored,
      title: "t",
      spec: { roundShape: {} },
    });
  });
});

// Against an obvious reference: the leaves of a document as a flat list, over a tree without one-of.

const tree: MaskMessage = {
  kind: "message",
  fields: {
    aB: value,
    cD: {
      kind: "message",
      fields: { eF: value, gH: { kind: "message", fields: { iJ: value, kL: value } } },
    },
    mN: { kind: "map" },
  },
};
const LEAVES = ["aB", "cD.eF", "cD.gH.iJ", "cD.gH.kL", "mN.p", "mN.q.r"];
const NODES = [...LEAVES, "cD", "cD.gH", "mN"];

type Leaves = ReadonlyMap<string, number>;

function build(leaves: Leaves): Record<string, unknown> {
  const at = (path: string) =>
    leaves.has(path) ? { [path.split(".").at(-1)!]: leaves.get(path) } : {};
  const some = (name: string, members: object) =>
    Object.keys(members).length > 0 ? { [name]: members } : {};
  const map = {
    ...(leaves.has("mN.p") ? { p: leaves.get("mN.p") } : {}),
    ...(leaves.has("mN.q.r") ? { "q.r": leaves.get("mN.q.r") } : {}),
  };
  return {
    ...at("aB"),
    ...some("cD", { ...at("cD.eF"), ...some("gH", { ...at("cD.gH.iJ"), ...at("cD.gH.kL") }) }),
    ...some("mN", map),
  };
}

function flatten(document: unknown, prefix = ""): [string, unknown][] {
  if (typeof document !== "object" || document === null) return [[prefix, document]];
  return Object.entries(document).flatMap(([key, member]) =>
    flatten(member, prefix === "" ? key : `${prefix}.${key}`),
  );
}

const documents = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...LEAVES), fc.nat(9)), { selector: ([path]) => path })
  .map((pairs): Leaves => new Map(pairs));
const masks = fc.array(fc.constantFrom(...NODES), { minLength: 1, maxLength: 4 });
const covers = (mask: readonly string[], leaf: string) =>
  mask.some((path) => leaf === path || leaf.startsWith(`${path}.`));
const mergeTree = (mask: readonly string[], was: Leaves, sent: Leaves) => {
  const parsed = parseFieldMask(mask.join(","), tree) as FieldMask;
  return mergeFields(tree, parsed, build(was), build(sent));
};

describe("any merge", () => {
  it("takes each leaf from the request where the mask covers it, else from what is stored", () => {
    fc.assert(
      fc.property(masks, documents, documents, (mask, was, sent) => {
        const expected = LEAVES.flatMap((leaf): [string, unknown][] => {
          const from = covers(mask, leaf) ? sent : was;
          return from.has(leaf) ? [[leaf, from.get(leaf)]] : [];
        });
        expect(new Map(flatten(mergeTree(mask, was, sent)))).toEqual(new Map(expected));
      }),
    );
  });

  it("changes neither of its sides, and nothing more when it is done again", () => {
    fc.assert(
      fc.property(masks, documents, documents, (mask, was, sent) => {
        const parsed = parseFieldMask(mask.join(","), tree) as FieldMask;
        const [before, asked] = [build(was), build(sent)];
        const once = mergeFields(tree, parsed, before, asked);
        expect([before, asked]).toEqual([build(was), build(sent)]);
        expect(mergeFields(tree, parsed, once, asked)).toEqual(once);
      }),
    );
  });

  it("depends on neither the order of the paths nor the case of their names", () => {
    fc.assert(
      fc.property(masks, documents, documents, fc.boolean(), (mask, was, sent, reverse) => {
        const snake = mask.map((path) =>
          path.startsWith("mN.") ? path.replace("mN", "m_n") : snakeCase(path),
        );
        const other = reverse ? snake.toReversed() : snake;
        expect(mergeTree(other, was, sent)).toEqual(mergeTree(mask, was, sent));
      }),
    );
  });

  it("keeps a member that is called __proto__ a member", () => {
    const sent = JSON.parse('{"labels": {"__proto__": "x"}}');
    const merged = merge("labels.__proto__", stored, sent);
    expect(JSON.stringify(merged)).toContain('"__proto__":"x"');
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });
});
