/** What a form's controls show. */

import { attribute, type Element, isElement, textIn } from "./tree.ts";

/** Inputs that show their value. */
const WRITTEN = new Set([
  ...[
    "",
    "text",
    "email",
    "tel",
    "url",
    "number",
    "date",
    "datetime-local",
    "month",
    "week",
    "time",
  ],
  ...["search"],
]);

/** Null for what is no control; empty for one that shows nothing. */
export function controlText(element: Element): string | null {
  switch (element.tagName) {
    case "input":
      return inputText(element);
    case "select":
      return selectedText(element);
    case "textarea":
      return textIn(element);
    default:
      return null;
  }
}

function inputText(input: Element): string {
  const type = (attribute(input, "type") ?? "").toLowerCase();
  if (type === "checkbox" || type === "radio") {
    return attribute(input, "checked") === null ? "☐" : "☒";
  }
  return WRITTEN.has(type) ? (attribute(input, "value") ?? "") : "";
}

/** The options that are chosen, or the first. */
function selectedText(select: Element): string {
  const options: Element[] = [];
  for (const node of select.childNodes) {
    if (!isElement(node)) continue;
    if (node.tagName === "option") options.push(node);
    else if (node.tagName === "optgroup") options.push(...node.childNodes.filter(isElement));
  }
  const chosen = options.filter((option) => attribute(option, "selected") !== null);
  const shown = chosen.length > 0 ? chosen : options.slice(0, 1);
  return shown.map((option) => textIn(option).trim()).join(", ");
}
