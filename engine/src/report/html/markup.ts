/** HTML as values: whatever is put into `html` is escaped, unless it is HTML itself. */

/** Text that is safe as HTML; made only here and from charts. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Html | string | number | null | undefined | false | readonly Content[];

/** A template whose values are escaped; lists are joined, and null, undefined and false are nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  let text = parts[0];
  for (const [index, value] of values.entries()) text += rendered(value) + parts[index + 1];
  return new Html(text);
}

function rendered(value: Content): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "string" || typeof value === "number") return escapeHtml(String(value));
  return value.map(rendered).join("");
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** For text and for attributes in quotes. What no HTML document may hold becomes U+FFFD. */
function escapeHtml(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => ESCAPES[character]);
}

/** Without control characters, lone surrogates and what would turn the direction of the rest. */
export function printable(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069\p{Noncharacter_Code_Point}]/gu, "\ufffd");
}
