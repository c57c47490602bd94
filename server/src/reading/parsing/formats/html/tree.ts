/**
 * Markup as a tree of bounded size and depth. HTML's rules for misnested elements copy elements, so that
 * a small file can make a large tree: elements are counted while they are made.
 */

import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from "parse5";
import { DocumentFault } from "../../document-fault.ts";
import { type ParsingLimits, requireNodesWithin } from "../../limits.ts";

export type Node = DefaultTreeAdapterTypes.ChildNode;
export type Parent = DefaultTreeAdapterTypes.ParentNode;
export type Element = DefaultTreeAdapterTypes.Element;

/** @throws DocumentFault `too_large`, `too_deep` */
export function markupTree(html: string, limits: ParsingLimits): DefaultTreeAdapterTypes.Document {
  let elements = 0;
  const depths = new WeakMap<object, number>();
  const placed = (parent: object, node: object): void => {
    const depth = (depths.get(parent) ?? 0) + 1;
    depths.set(node, depth);
    if (depth > limits.depth) {
      throw new DocumentFault(
        "too_deep",
        `Elements are nested more than ${limits.depth} deep. Save the document in a simpler form.`,
      );
    }
  };
  return parse<DefaultTreeAdapterTypes.DefaultTreeAdapterMap>(html, {
    treeAdapter: {
      ...defaultTreeAdapter,
      createElement: (name, namespace, attributes) => {
        elements += 1;
        requireNodesWithin(elements, "elements", limits);
        return defaultTreeAdapter.createElement(name, namespace, attributes);
      },
      appendChild: (parent, node) => {
        placed(parent, node);
        defaultTreeAdapter.appendChild(parent, node);
      },
      insertBefore: (parent, node, reference) => {
        placed(parent, node);
        defaultTreeAdapter.insertBefore(parent, node, reference);
      },
    },
  });
}

export const isElement = (node: Node): node is Element => "tagName" in node;

export function attribute(element: Element, name: string): string | null {
  return element.attrs.find((one) => one.name === name)?.value ?? null;
}

/** The text in it, as it is written. */
export function textIn(parent: Parent): string {
  return parent.childNodes
    .map((node) => ("value" in node ? node.value : isElement(node) ? textIn(node) : ""))
    .join("");
}
