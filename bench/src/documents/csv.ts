/** Rows of a gold file (RFC 4180) as records. */

export function parseCsv(text: string): Record<string, string>[] {
  const rows: string[][] = [[]];
  let field = "";
  let quoted = false;
  const end = (): void => {
    rows.at(-1)!.push(field);
    field = "";
  };
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!;
    if (quoted) {
      if (letter !== '"') field += letter;
      else if (text[at + 1] === '"') {
        field += '"';
        at += 1;
      } else quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === ",") end();
    else if (letter === "\n") {
      end();
      rows.push([]);
    } else if (letter !== "\r") field += letter;
  }
  end();
  const [header = [], ...rest] = rows;
  return rest
    .filter((row) => row.length === header.length)
    .map((row) => Object.fromEntries(header.map((name, index) => [name.trim(), row[index]!])));
}
