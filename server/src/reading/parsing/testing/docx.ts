/** Small Word documents, made of the markup of their parts. */

import { storedZip } from "../archive/stored-zip.ts";

const W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const TYPES = "http://schemas.openxmlformats.org/package/2006/content-types";
const RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml";

/** A paragraph. @param text a tab is a tab, `**` around it makes it bold */
export function wordParagraph(text: string, style?: string): string {
  const isBold = text.startsWith("**");
  const runs = text
    .replaceAll("**", "")
    .split("\t")
    .map((part) => `<w:t xml:space="preserve">${escaped(part)}</w:t>`)
    .join("<w:tab/>");
  const properties = style === undefined ? "" : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r>${isBold ? "<w:rPr><w:b/></w:rPr>" : ""}${runs}</w:r></w:p>`;
}

export function wordTable(rows: readonly (readonly string[])[]): string {
  const body = rows
    .map(
      (row) => `<w:tr>${row.map((cell) => `<w:tc>${wordParagraph(cell)}</w:tc>`).join("")}</w:tr>`,
    )
    .join("");
  return `<w:tbl>${body}</w:tbl>`;
}

/** Members of a package by their names. */
export function wordParts(body: string, header?: string): Map<string, Buffer> {
  const parts = new Map<string, string>([
    [
      "[Content_Types].xml",
      `<Types xmlns="${TYPES}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${WORD}.document.main+xml"/></Types>`,
    ],
    [
      "_rels/.rels",
      `<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    ],
    ["word/document.xml", `<w:document xmlns:w="${W}"><w:body>${body}</w:body></w:document>`],
    [
      "word/styles.xml",
      `<w:styles xmlns:w="${W}">${["Title", "Heading1", "Heading2"].map(style).join("")}</w:styles>`,
    ],
  ]);
  if (header !== undefined)
    parts.set("word/header1.xml", `<w:hdr xmlns:w="${W}">${header}</w:hdr>`);
  return new Map([...parts].map(([name, xml]) => [name, Buffer.from(xml)]));
}

export function wordDocument(body: string, header?: string): Buffer {
  return storedZip(wordParts(body, header));
}

const style = (id: string): string =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${id.replace(/(\d)$/u, " $1").replace("Heading", "heading")}"/></w:style>`;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
