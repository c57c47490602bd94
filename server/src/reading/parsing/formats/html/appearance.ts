/** How an element appears, as far as its name, attributes and own style tell. */

import { attribute, type Element } from "./tree.ts";

const UNSEEN = new Set([
  ...["script", "style", "noscript", "template", "head", "title", "meta", "link", "base"],
  ...["iframe", "object", "embed", "canvas", "audio", "video", "svg", "map", "datalist", "dialog"],
]);

const BLOCKS = new Set([
  ...[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "caption",
    "center",
    "details",
    "dialog",
  ],
  ...["dd", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header"],
  ...["h1", "h2", "h3", "h4", "h5", "h6", "hgroup", "hr", "html", "legend", "li", "main", "menu"],
  ...["nav", "ol", "option", "p", "pre", "search", "section", "summary", "table", "tbody", "td"],
  ...["tfoot", "th", "thead", "tr", "ul"],
]);

const BOLD = new Set(["b", "strong", "th", "h1", "h2", "h3", "h4", "h5", "h6"]);

export interface Appearance {
  readonly isShown: boolean;
  /** On lines of its own. */
  readonly isBlock: boolean;
  /** Its children stand beside each other. */
  readonly isRow: boolean;
  /** It stands beside its siblings. */
  readonly isBeside: boolean;
  /** Null: as its parent. */
  readonly isBold: boolean | null;
  readonly keepsLines: boolean;
}

export function appearanceOf(element: Element): Appearance {
  const name = element.tagName;
  const style = styleOf(element);
  const display = style.get("display") ?? "";
  const weight = style.get("font-weight") ?? "";
  const isBeside = /^(?:inline-block|inline-table|table-cell)$/u.test(display);
  return {
    isShown: !UNSEEN.has(name) && !isHidden(element, style),
    isBlock: isBeside || display === "inline" ? false : isBlockName(name, display),
    isRow:
      /^(?:inline-)?(?:flex|grid)$/u.test(display) &&
      !/^column/u.test(style.get("flex-direction") ?? ""),
    isBeside: isBeside || /^(?:left|right)$/u.test(style.get("float") ?? ""),
    isBold:
      weight === "" ? (BOLD.has(name) ? true : null) : /^(?:bold|bolder|[6-9]00)$/u.test(weight),
    keepsLines:
      name === "pre" || name === "textarea" || /^pre/u.test(style.get("white-space") ?? ""),
  };
}

const isBlockName = (name: string, display: string): boolean =>
  BLOCKS.has(name) || /^(?:block|flex|grid|list-item|table|table-row)$/u.test(display);

function isHidden(element: Element, style: ReadonlyMap<string, string>): boolean {
  return (
    attribute(element, "hidden") !== null ||
    style.get("display") === "none" ||
    /^(?:hidden|collapse)$/u.test(style.get("visibility") ?? "") ||
    /^0(?:px|pt|em|rem|%)?$/u.test(style.get("font-size") ?? "") ||
    /^0(?:\.0+)?%?$/u.test(style.get("opacity") ?? "")
  );
}

/** Of the element's own `style`, in lower case. */
function styleOf(element: Element): ReadonlyMap<string, string> {
  const written = attribute(element, "style");
  if (written === null) return NO_STYLE;
  const style = new Map<string, string>();
  for (const declaration of written.slice(0, 4000).toLowerCase().split(";")) {
    const colon = declaration.indexOf(":");
    if (colon < 0) continue;
    const value = declaration.slice(colon + 1).replace("!important", "");
    style.set(declaration.slice(0, colon).trim(), value.trim());
  }
  return style;
}

const NO_STYLE: ReadonlyMap<string, string> = new Map();
