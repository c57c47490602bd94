/**
 * Headers and footers of a Word document, where letters have their sender: each made the main part of a
 * package, so that it is read as the text is.
 */

const MAIN = "word/document.xml";

/** More than first, even and other pages of a few sections repeat what these say. */
const MOST = 6;

/** One package for each header or footer; those that say the same as another are left out. */
export function marginParts(
  parts: ReadonlyMap<string, Uint8Array>,
  kind: "header" | "footer",
): Map<string, Uint8Array>[] {
  const seen = new Set<string>();
  const packages: Map<string, Uint8Array>[] = [];
  const pattern = new RegExp(`^word/${kind}\\d{0,4}\\.xml$`, "iu");
  for (const [name, part] of parts) {
    if (!pattern.test(name) || packages.length === MOST || !parts.has(MAIN)) continue;
    const xml = Buffer.from(part).toString("utf8");
    const text = xml.replace(/<[^<>]*>/gu, "").trim();
    if (text === "" || seen.has(text)) continue;
    seen.add(text);
    const main = asMainPart(xml);
    if (main !== null) packages.push(new Map([...parts, [MAIN, Buffer.from(main)]]));
  }
  return packages;
}

/** `<w:hdr …>…</w:hdr>` as `<w:document …><w:body>…</w:body></w:document>`, with whatever prefix. */
function asMainPart(xml: string): string | null {
  const start = /<([A-Za-z][\w.-]*:)?(?:hdr|ftr)(\s[^<>]*)?>/u.exec(xml);
  if (start === null) return null;
  const prefix = start[1] ?? "";
  const end = xml.lastIndexOf("</");
  const from = start.index + start[0].length;
  if (end < from) return null;
  const content = xml.slice(from, end);
  return `<${prefix}document${start[2] ?? ""}><${prefix}body>${content}</${prefix}body></${prefix}document>`;
}
