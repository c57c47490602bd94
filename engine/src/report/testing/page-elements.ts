/** The elements of a page, which must be HTML without a fault. */

import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from "parse5";
import { expect } from "vitest";

export type Element = DefaultTreeAdapterTypes.Element;

export function elementsOf(html: string): Element[] {
  const errors: string[] = [];
  const document = parse(html, { onParseError: ({ code }) => errors.push(code) });
  expect(errors).toEqual([]);
  const found: Element[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if (defaultTreeAdapter.isElementNode(node)) found.push(node);
    if ("childNodes" in node) node.childNodes.forEach(visit);
  };
  visit(document);
  return found;
}

/** That nothing in it can run or load. */
export function expectInert(page: string): void {
  const elements = elementsOf(page);
  const tags = new Set(elements.map(({ tagName }) => tagName));
  for (const tag of ["script", "img", "image", "iframe", "link", "object", "embed", "form"]) {
    expect(tags, tag).not.toContain(tag);
  }
  for (const element of elements) {
    for (const { name, value } of element.attrs) {
      expect(name).not.toMatch(/^on|^style$|^src/);
      if (name === "href") expect(value).toMatch(/^#[a-z]+$/);
    }
  }
  // Names of namespaces are no addresses.
  const rest = page.replaceAll(/xmlns(:\w+)?="[^"]*"/g, "");
  expect(/https?:|\/\/\w|url\(|@import/i.exec(rest)?.[0]).toBeUndefined();
}

/** The text of an element and all within it. */
export function textOf(element: DefaultTreeAdapterTypes.Node): string {
  if ("value" in element) return element.value;
  return "childNodes" in element ? element.childNodes.map(textOf).join("") : "";
}
