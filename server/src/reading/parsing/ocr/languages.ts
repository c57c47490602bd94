/**
 * The languages that letters are recognised in: those of which the operator has installed the data, an
 * npm package each. English comes with the service; nothing is fetched when it runs. A page is read in
 * English, and then in the language that its words tell: together with others, a language's own letters
 * come back as theirs (`perché` stays, `più` does not).
 */

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { languageOf } from "../language.ts";

const DATA = "4.0.0_best_int";

/** Tesseract's codes. */
const NAMES = {
  eng: "English",
  deu: "German",
  fra: "French",
  spa: "Spanish",
  ita: "Italian",
  por: "Portuguese",
  nld: "Dutch",
} as const;

export type LanguageCode = keyof typeof NAMES;

export interface OcrLanguage {
  readonly code: LanguageCode;
  readonly name: string;
  /** Of `CODE.traineddata.gz`. */
  readonly folder: string;
}

const CODES: readonly LanguageCode[] = ["eng", "deu", "fra", "spa", "ita", "por", "nld"];

/** By the languages that a text's words tell (ISO 639-1). */
const BY_TEXT: ReadonlyMap<string, LanguageCode> = new Map([
  ["en", "eng"],
  ["de", "deu"],
  ["fr", "fra"],
  ["es", "spa"],
  ["it", "ita"],
  ["pt", "por"],
  ["nl", "nld"],
]);

export interface ReadingLanguages {
  /** What a text is to be read in, its own first: recognition prefers the first. */
  readonly read: readonly LanguageCode[];
  /** What it seems to be written in though its data is not installed; else null. */
  readonly missing: LanguageCode | null;
}

/** @param text as it was read in English: the commonest words of a language hardly need its own letters */
export function languagesFor(
  text: string,
  installed: readonly LanguageCode[] = installedLanguages().map(({ code }) => code),
): ReadingLanguages {
  const spoken = languageOf(text);
  const code = spoken === null ? null : (BY_TEXT.get(spoken) ?? null);
  // Of a few words nobody can tell the language: any that there is may help.
  if (code === null) return { read: installed, missing: null };
  if (code === "eng") return { read: ["eng"], missing: null };
  if (!installed.includes(code)) return { read: ["eng"], missing: code };
  return { read: [code, "eng"], missing: null };
}

/** `English, German` */
export function languageNames(codes: Iterable<LanguageCode>): string {
  const wanted = new Set(codes);
  return CODES.filter((code) => wanted.has(code))
    .map((code) => NAMES[code])
    .join(", ");
}

/** The npm package of a language's data. */
export const dataPackage = (code: LanguageCode): string => `@tesseract.js-data/${code}`;

/** English first. @param resolve a package's file to its URL; throws where it is not installed */
export function installedLanguages(
  resolve: (file: string) => string = (file) => import.meta.resolve(file),
): OcrLanguage[] {
  return CODES.flatMap((code): OcrLanguage[] => {
    const packaged = locate(resolve, `${dataPackage(code)}/package.json`);
    if (packaged === null) return [];
    return [{ code, name: NAMES[code], folder: join(dirname(packaged), DATA) }];
  });
}

function locate(resolve: (file: string) => string, file: string): string | null {
  try {
    return fileURLToPath(resolve(file));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")
      return null;
    throw error;
  }
}
