/** A file of what the page holds, to the browser's downloads. */

/** After it the download has its own hold of the content. */
const HELD_MS = 10_000;

export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), HELD_MS);
}
