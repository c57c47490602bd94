/** A page that pdf.js cannot read, of a file whose other pages it may. */

export class DamagedPage extends Error {
  override readonly name = "DamagedPage";
}

/** What pdf.js makes of a page's content. @throws DamagedPage */
export async function ofPage<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new DamagedPage("the page's content cannot be read", { cause });
  }
}
