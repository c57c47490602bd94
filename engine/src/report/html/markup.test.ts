import fc from "fast-check";
import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";
import { expect, test } from "vitest";
import { html, printable } from "./markup.ts";

const HOSTILE = [
  "</script><img src=x onerror=alert(1)>",
  '"><svg onload=alert(2)>',
  "' onmouseover='alert(3)",
  "<!--",
  "]]>",
  "&lt;b&gt;&amp;",
  "\u0000\u202e\ud800",
  "javascript:alert(4)",
];

const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...HOSTILE));

test("whatever text is put into a page stays that text", () => {
  fc.assert(
    fc.property(text, text, (title, content) => {
      const errors: string[] = [];
      const page = html`<p title="${title}">${content}</p>`.text;
      const fragment = parseFragment(page, {
        onParseError: ({ code }) => errors.push(code),
        sourceCodeLocationInfo: false,
      });
      expect(errors).toEqual([]);
      expect(fragment.childNodes).toHaveLength(1);
      const [p] = fragment.childNodes as DefaultTreeAdapterTypes.Element[];
      expect(p.nodeName).toBe("p");
      expect(p.attrs).toEqual([{ name: "title", value: printable(title) }]);
      const inside = p.childNodes.map((node) => ("value" in node ? node.value : node.nodeName));
      expect(inside.join("")).toBe(printable(content));
    }),
    { numRuns: 300 },
  );
});

test("lists are joined, HTML stays HTML, and nothing is nothing", () => {
  const items = ["<a>", "b"].map((item) => html`<li>${item}</li>`);
  expect(html`<ul>${items}${null}${false}${undefined}${0}</ul>`.text).toBe(
    "<ul><li>&lt;a&gt;</li><li>b</li>0</ul>",
  );
});
