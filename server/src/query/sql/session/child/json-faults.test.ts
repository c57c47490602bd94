import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkJson } from "./json-faults.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "json-faults-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function check(content: string | Uint8Array, name = "rows.json"): Promise<void> {
  const path = join(folder, name);
  await writeFile(path, content);
  await checkJson(path);
}

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

it("a thousand levels are taken, and one more is refused with its line", async () => {
  await check(`{"a": 1}\n${nested(1000)}\n`);
  await expect(check(`{"a": 1}\n${nested(1001)}\n`)).rejects.toThrow(
    "line 2 is nested more than 1000 levels deep",
  );
});

it("levels that ended are not counted", async () => {
  await check(`${`${nested(900)}\n`.repeat(3)}{"a": ${nested(999)}}`);
});

it("brackets in texts are no levels, whatever is escaped before them", async () => {
  const brackets = "[".repeat(2000);
  await check(`{"a": "${brackets}", "b\\"${brackets}": "\\\\"}`);
  await expect(check(`{"a": "\\\\", "b": ${nested(1000)}}`)).rejects.toThrow(/line 1 /);
});

it("a file that is packed is looked at unpacked", async () => {
  await expect(check(gzipSync(nested(1001)), "rows.json.gz")).rejects.toThrow(/line 1 /);
});

it.each<[string, number, string]>([
  ['{"a":1}\n{"a":1,"b":2,"a":3}', 2, "a"],
  ['{"a":{"b":1,"c":2}}\n{"a":{"b":1,"c":2,"b":3}}', 2, "b"],
  ['{"a":1,"b":2}\n{"b":1,"a":2}\n{"b":1,"a":2,"b":3}', 3, "b"],
  ['{"a":1,"b":2,"c":3}\n{"c":1,"a":2}\n{"a":1,"c":2,"c":3}', 3, "c"],
  ['{"a":1,"\\u0061":2}', 1, "a"],
  ['[{"x":[{"k":1},{"k":1, "k" : 2}]}]', 1, "k"],
  ['{"":1,"":2}', 1, ""],
  ['{"\\"":1,"\\\\":1,"\\"":2}', 1, '"'],
  ['{"long":1,"lo":2,"l":3,"lo":4}', 1, "lo"],
])(
  "a member that its object has already is refused with its line: %s",
  async (text, line, name) => {
    await expect(check(text)).rejects.toThrow(
      `line ${line} has the member ${JSON.stringify(name)} more than once in an object; leave one of them`,
    );
  },
);

it.each([
  '{"a":{"a":1},"b":{"a":"a"}}\n{"b":1}\n{"a":1}',
  '{"a":"\\"a\\":1, \\"a\\":2","b":"NaN"}\n{"a":[{"a":1},{"a":2}]}',
  '{"Infinity":"inf","nan":null,"true":false}',
])("names that come again elsewhere, and words in texts, are no faults: %s", async (text) => {
  await check(text);
});

it("finds the one member that is named twice among many, and names of equal hashes apart", async () => {
  const names = Array.from({ length: 5000 }, (_, at) => `"k${at}":${at}`);
  await check(`{${names.join()}}\n{"k1":1}\n{${names.join()}}`);
  await expect(check(`{"a":1}\n{${names.join()},"k4321":0}`)).rejects.toThrow(
    'line 2 has the member "k4321" more than once',
  );
  // Of one hash by FNV-1a.
  await check('{"costarring":1,"liquid":2}\n{"declinate":1,"macallums":2}');
});

it.each(["NaN", "nan", "NAN", "-Infinity", "Infinity", "inf", "-inf", "[1, nan]", '{"b":NaN}'])(
  "%s is refused, which JSON does not have",
  async (value) => {
    await expect(check(`{"a":1}\n{"a": ${value}}\n`)).rejects.toThrow(
      "line 2 is not JSON, which has no NaN or Infinity: leave the member out",
    );
  },
);

it("what is no JSON at all is left to who reads it", async () => {
  await check("<p>In no way JSON, and No Infinity</p>");
  await check('{"a":"x\n{"a":NaN,"a":NaN}\n');
});

it("finds a repeated member wherever it is put among objects of any names, and no other", async () => {
  const name = fc.string({
    unit: fc.constantFrom("a", "b", '"', "\\", "\u00e9", ":", "{"),
    maxLength: 3,
  });
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(null, true, 1.5, "a", '"a":1'),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(name, tie("value"), { maxKeys: 5 }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.dictionary(name, value, { minKeys: 1, maxKeys: 6 }), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.nat(),
      async (rows, at) => {
        const lines = rows.map((row) => JSON.stringify(row));
        await check(lines.join("\n"));
        const chosen = at % rows.length;
        const names = Object.keys(rows[chosen]!);
        const again = names[at % names.length]!;
        lines[chosen] = `${lines[chosen]!.slice(0, -1)},${JSON.stringify(again)}:0}`;
        await expect(check(lines.join("\n"))).rejects.toThrow(
          `line ${chosen + 1} has the member ${JSON.stringify(again)} more than once`,
        );
      },
    ),
    { numRuns: 60 },
  );
});
