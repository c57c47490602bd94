/** A second name of a file's bytes; a copy where the folders lie on different file systems. */

import { constants } from "node:fs";
import { copyFile, link } from "node:fs/promises";

/** Another device, a file system without links, or a file with as many as it can have. */
const NO_LINK = ["EXDEV", "EPERM", "EMLINK", "ENOTSUP"];

/** @throws where there is a file `to` already, or none `from` */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    if (!NO_LINK.includes(String(error.code))) throw error;
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  }
}
