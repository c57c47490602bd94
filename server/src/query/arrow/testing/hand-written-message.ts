/** Messages as no writer would make them: each word of the flatbuffer put in its place. */

/**
 * A schema with so many levels of structs, whose children are all one and the same field: each part in
 * its place, as no writer would make it.
 */
export function handWritten({ levels, children, endianness = 0 }: HandWritten): Uint8Array {
  const words: number[] = [];
  const place = () => words.length * 4;
  const typeNumbers: number[] = [];
  const put = (value: number) => words.push(value) - 1;
  const pair = (low: number, high: number) => put(low | (high << 16));
  const refer = (word: number) => {
    words[word] = place() - word * 4;
  };
  const root = put(0);
  // The layouts: their own size, the table's, then where each member lies.
  const messageLayout = place();
  pair(10, 12);
  pair(8, 10);
  pair(4, 0);
  const schemaLayout = place();
  pair(8, 12);
  pair(8, 4);
  const fieldLayout = place();
  if (levels > 0) {
    pair(16, 16);
    pair(0, 0);
    pair(12, 4);
    pair(0, 8);
  }
  const typeLayout = place();
  if (levels > 0) pair(4, 4);

  refer(root);
  put(place() - messageLayout);
  const header = put(0);
  pair(4, 1); // V5, a schema
  refer(header);
  put(place() - schemaLayout);
  let fields = put(0);
  put(endianness);
  for (let level = 0; level < levels; level++) {
    refer(fields);
    put(children);
    const slots = Array.from({ length: children }, () => put(0));
    for (const slot of slots) refer(slot);
    put(place() - fieldLayout);
    const type = put(0);
    fields = put(0);
    typeNumbers.push(put(0));
    refer(type);
    put(place() - typeLayout);
  }
  refer(fields);
  put(0);
  for (const word of typeNumbers) words[word] = 13; // a struct
  return new Uint8Array(Uint32Array.from(words).buffer);
}

interface HandWritten {
  readonly levels: number;
  readonly children: number;
  readonly endianness?: number;
}
