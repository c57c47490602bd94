/** A tree of markup as blocks: what a reader sees, in the order of the source. */

import { asOneLine } from "../../characters.ts";
import type { Block } from "../../normal-form.ts";
import { appearanceOf } from "./appearance.ts";
import { type BlockKind, BlockWriter } from "./block-writer.ts";
import { controlText } from "./controls.ts";
import { type TextContext, tableBlocks } from "./table.ts";
import { attribute, type Element, isElement, type Node, type Parent, textIn } from "./tree.ts";

interface Context extends TextContext {
  /** What a block in it is. */
  readonly kind: BlockKind;
}

/** Descendants that are looked at to tell whether an element is one line. */
const LOOKED_AT = 40;

export function htmlBlocks(parent: Parent, { isBold, keepsLines }: TextContext): Block[] {
  const writer = new BlockWriter();
  const walker = new Walker(writer);
  walker.children(parent, { isBold, keepsLines, kind: { kind: "paragraph" } });
  writer.endBlock();
  return writer.blocks;
}

class Walker {
  readonly #writer: BlockWriter;

  constructor(writer: BlockWriter) {
    this.#writer = writer;
  }

  children(parent: Parent, context: Context): void {
    for (const node of parent.childNodes) this.#node(node, context);
  }

  #node(node: Node, context: Context): void {
    if (isElement(node)) this.#element(node, context);
    else if ("value" in node) {
      if (context.keepsLines) this.#writer.lines(node.value, context.isBold);
      else this.#writer.text(node.value, context.isBold);
    }
  }

  #element(element: Element, context: Context): void {
    const writer = this.#writer;
    const { isShown, isBlock, isRow, isBeside, ...look } = appearanceOf(element);
    if (!isShown) return;
    const inner: Context = {
      isBold: look.isBold ?? context.isBold,
      keepsLines: look.keepsLines || context.keepsLines,
      kind: kindOf(element.tagName) ?? context.kind,
    };
    const control = controlText(element);
    if (control !== null) {
      writer.apart();
      writer.lines(control, inner.isBold);
      writer.apart();
      return;
    }
    switch (element.tagName) {
      case "br":
        writer.endLine();
        return;
      case "table":
        writer.endBlock(context.kind);
        for (const block of tableBlocks(element, inner, htmlBlocks)) writer.add(block);
        return;
      case "dd":
        // On its term's line, where the term is one.
        writer.apart();
        this.children(element, inner);
        writer.endBlock(inner.kind);
        return;
      case "dt":
        writer.endBlock(context.kind);
        this.children(element, inner);
        return;
      case "label":
        this.children(element, inner);
        writer.apart();
        return;
      default:
    }
    if (isBlock) writer.endBlock(context.kind);
    if (isBeside) writer.apart();
    if (isBlock && isLabelAndValue(element, isRow)) this.#beside(element, inner);
    else this.children(element, inner);
    if (isBeside) writer.apart();
    if (isBlock) writer.endBlock(inner.kind);
  }

  /** Children that are one line each, on one line. */
  #beside(element: Element, context: Context): void {
    for (const node of element.childNodes) {
      if (!isElement(node)) continue;
      const { isShown, isBold } = appearanceOf(node);
      if (!isShown) continue;
      this.#writer.apart();
      const control = controlText(node);
      const inner = { ...context, isBold: isBold ?? context.isBold };
      if (control !== null) this.#writer.lines(control, inner.isBold);
      else this.children(node, inner);
    }
  }
}

function kindOf(name: string): BlockKind | null {
  if (/^h[1-6]$/u.test(name)) return { kind: "heading", level: Number(name[1]) };
  return name === "li" ? { kind: "list_item" } : null;
}

/** Whether the element's children, each a line at most, stand beside each other. */
function isLabelAndValue(element: Element, isRow: boolean): boolean {
  const children: Element[] = [];
  for (const node of element.childNodes) {
    if (isElement(node)) children.push(node);
    else if ("value" in node && node.value.trim() !== "") return false;
    if (children.length > LOOKED_AT) return false;
  }
  const first = children[0];
  if (first === undefined || children.length < 2 || !children.every(isOneLine)) return false;
  if (isRow) return true;
  return (
    children.length === 2 &&
    appearanceOf(first).isBlock &&
    attribute(first, "class") !== null &&
    /^[^:]{2,60}:$/u.test(asOneLine(textIn(first)))
  );
}

/** Only running text in it, and little of it. */
function isOneLine(element: Element): boolean {
  const waiting: Node[] = [...element.childNodes];
  let characters = 0;
  for (let looked = 0; waiting.length > 0; looked++) {
    const node = waiting.pop()!;
    if (looked >= LOOKED_AT) return false;
    if ("value" in node) characters += node.value.length;
    if (!isElement(node)) continue;
    if (node.tagName === "br" || appearanceOf(node).isBlock) return false;
    waiting.push(...node.childNodes.slice(0, LOOKED_AT));
    if (node.childNodes.length > LOOKED_AT) return false;
  }
  return characters <= 300;
}
