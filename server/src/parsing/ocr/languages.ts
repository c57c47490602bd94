/**
 * The languages that letters are recognised in: those of which the operator has installed the data, an
 * npm package each. English comes with the service; nothing is fetched when it runs.
 */

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

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

/** English first. @param resolve a package's file to its URL; throws where it is not installed */
export function installedLanguages(
  resolve: (file: string) => string = (file) => import.meta.resolve(file),
): OcrLanguage[] {
  return CODES.flatMap((code): OcrLanguage[] => {
    const packaged = locate(resolve, `@tesseract.js-data/${code}/package.json`);
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
