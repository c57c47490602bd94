/** A small writer of PDFs for tests: pages of text, images and form fields, encrypted where asked. */

import { createHash } from "node:crypto";

export interface TestPage {
  /** Points. */
  readonly width?: number;
  readonly height?: number;
  /** Degrees clockwise at which the page is displayed. */
  readonly rotate?: number;
  /** Content operators. */
  readonly content: string;
  /** Drawn over the whole page, under its content. */
  readonly scan?: GreyPicture;
  /** Annotations, as dictionaries. */
  readonly annotations?: readonly string[];
}

export interface GreyPicture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

export interface TestPasswords {
  /** Opens the file; empty for none. */
  readonly user: string;
  readonly owner: string;
}

export interface TextAt {
  readonly x: number;
  /** From the page's bottom. */
  readonly y: number;
  readonly size?: number;
  /** `coded` has codes that stand for no characters. */
  readonly font?: "regular" | "bold" | "mono" | "coded";
  /** Degrees against the clock. */
  readonly angle?: number;
  /** Points between letters. */
  readonly spacing?: number;
}

const FONTS = { regular: "F1", bold: "F2", mono: "F3", coded: "F4" };

/** Characters as codes of private use. */
const TO_UNICODE = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapName /Private def /CMapType 2 def
1 begincodespacerange <00> <ff> endcodespacerange
1 beginbfrange <21> <7e> <e021> endbfrange
endcmap end end`;

export function text(
  words: string,
  { x, y, size = 10, font = "regular", angle = 0, spacing = 0 }: TextAt,
): string {
  const radians = (angle * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians).toFixed(6), Math.sin(radians).toFixed(6)];
  const escaped = words.replace(/[()\\]/gu, "\\$&");
  return `BT /${FONTS[font]} ${size} Tf ${spacing} Tc ${cos} ${sin} ${-Number(sin)} ${cos} ${x} ${y} Tm (${escaped}) Tj ET\n`;
}

/** Lines below each other from `y` down. */
export function lines(all: readonly string[], at: TextAt & { readonly leading?: number }): string {
  const leading = at.leading ?? 1.2 * (at.size ?? 10);
  return all.map((line, index) => text(line, { ...at, y: at.y - index * leading })).join("");
}

/** @param pages @param passwords encrypts by the standard handler's revision 2 (RC4, 40 bits) */
export function writePdf(pages: readonly TestPage[], passwords?: TestPasswords): Uint8Array {
  const objects: Buffer[] = [];
  const id = Buffer.from("0123456789abcdef", "latin1");
  const security = passwords === undefined ? null : securityOf(passwords, id);
  const add = (body: (number: number) => Buffer | string): number => {
    const number = objects.length + 1;
    objects.push(Buffer.alloc(0));
    objects[number - 1] = Buffer.from(body(number));
    return number;
  };
  const stream = (dictionary: string, data: Buffer): number =>
    add((number) => {
      const bytes = security === null ? data : rc4(objectKey(security.key, number), data);
      const head = `<< ${dictionary} /Length ${bytes.length} >>\nstream\n`;
      return Buffer.concat([Buffer.from(head), bytes, Buffer.from("\nendstream")]);
    });
  const toUnicode = stream("", Buffer.from(TO_UNICODE));
  const fonts = [
    ...["Helvetica", "Helvetica-Bold", "Courier"].map((name) => `/BaseFont /${name}`),
    `/BaseFont /Helvetica /ToUnicode ${toUnicode} 0 R`,
  ].map((font) =>
    add(() => `<< /Type /Font /Subtype /Type1 ${font} /Encoding /WinAnsiEncoding >>`),
  );
  const fontList = fonts.map((font, index) => `/F${index + 1} ${font} 0 R`).join(" ");
  const tree = add(() => "");
  const fields: number[] = [];
  const kids = pages.map(
    ({ width = 612, height = 792, rotate = 0, content, scan, annotations }) => {
      const image =
        scan === undefined ? null : stream(imageDictionary(scan), Buffer.from(scan.pixels));
      const under = image === null ? "" : `q ${width} 0 0 ${height} 0 0 cm /I1 Do Q\n`;
      const contents = stream("", Buffer.from(under + content, "latin1"));
      const annots = (annotations ?? []).map((annotation) => add(() => `<< ${annotation} >>`));
      fields.push(...annots);
      const images = image === null ? "" : `/XObject << /I1 ${image} 0 R >>`;
      return add(
        () =>
          `<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 ${width} ${height}] /Rotate ${rotate} /Contents ${contents} 0 R /Annots [${references(annots)}] /Resources << /Font << ${fontList} >> ${images} >> >>`,
      );
    },
  );
  objects[tree - 1] = Buffer.from(
    `<< /Type /Pages /Kids [${references(kids)}] /Count ${kids.length} >>`,
  );
  const form = `/AcroForm << /Fields [${references(fields)}] /DA (/F1 10 Tf) /DR << /Font << ${fontList} >> >> >>`;
  const catalog = add(() => `<< /Type /Catalog /Pages ${tree} 0 R ${form} >>`);
  const encrypt = security === null ? null : add(() => security.dictionary);
  return assembled(objects, catalog, encrypt, id);
}

const references = (numbers: readonly number[]): string =>
  numbers.map((number) => `${number} 0 R`).join(" ");

const imageDictionary = ({ width, height }: GreyPicture): string =>
  `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`;

function assembled(
  objects: readonly Buffer[],
  catalog: number,
  encrypt: number | null,
  id: Buffer,
): Uint8Array {
  const parts: Buffer[] = [Buffer.from("%PDF-1.4\n")];
  const offsets: number[] = [];
  let length = parts[0]!.length;
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    const part = Buffer.concat([
      Buffer.from(`${index + 1} 0 obj\n`),
      object,
      Buffer.from("\nendobj\n"),
    ]);
    parts.push(part);
    length += part.length;
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const secured = encrypt === null ? "" : `/Encrypt ${encrypt} 0 R`;
  const hexId = `<${id.toString("hex")}>`;
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root ${catalog} 0 R /ID [${hexId} ${hexId}] ${secured} >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

const PADDING = Buffer.from(
  "28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a",
  "hex",
);
const PERMISSIONS = -44;

/** ISO 32000-1, 7.6.3: algorithms 2 to 4. */
function securityOf(
  { user, owner }: TestPasswords,
  id: Buffer,
): { key: Buffer; dictionary: string } {
  const padded = (password: string): Buffer =>
    Buffer.concat([Buffer.from(password, "latin1"), PADDING]).subarray(0, 32);
  const ownerEntry = rc4(md5(padded(owner)).subarray(0, 5), padded(user));
  const permissions = Buffer.alloc(4);
  permissions.writeInt32LE(PERMISSIONS);
  const key = md5(Buffer.concat([padded(user), ownerEntry, permissions, id])).subarray(0, 5);
  const userEntry = rc4(key, PADDING);
  return {
    key,
    dictionary: `<< /Filter /Standard /V 1 /R 2 /P ${PERMISSIONS} /O <${ownerEntry.toString("hex")}> /U <${userEntry.toString("hex")}> >>`,
  };
}

function objectKey(key: Buffer, number: number): Buffer {
  const salt = Buffer.alloc(5);
  salt.writeUIntLE(number, 0, 3);
  return md5(Buffer.concat([key, salt])).subarray(0, key.length + 5);
}

const md5 = (data: Buffer): Buffer => createHash("md5").update(data).digest();

function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const swap = (a: number, b: number): void => {
    [state[a], state[b]] = [state[b]!, state[a]!];
  };
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + state[i]! + key[i % key.length]!) & 255;
    swap(i, j);
  }
  let [i, j] = [0, 0];
  return Buffer.from(
    data.map((byte) => {
      i = (i + 1) & 255;
      j = (j + state[i]!) & 255;
      swap(i, j);
      return byte ^ state[(state[i]! + state[j]!) & 255]!;
    }),
  );
}
