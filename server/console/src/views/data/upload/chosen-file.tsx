/** A file that was chosen and not sent yet: what it seems to be, to be put right before it leaves. */

import { type FormEvent, useEffect, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/field.tsx";
import { size } from "../../../ui/numbers.ts";
import { Text } from "../../../ui/text.tsx";
import { type Format, formatOf, LOOKED_AT, nameOf, notATable, titleOf } from "./file-guess.ts";
import type { Parcel } from "./uploads.ts";

interface ChosenFileProps {
  readonly file: File;
  /** The most bytes that the service takes; null = unknown. */
  readonly limit: number | null;
  readonly formats: readonly Format[];
  readonly onSend: (as: Pick<Parcel, "name" | "format" | "encoding">) => void;
  readonly onDrop: () => void;
}

/** Beyond this one is asked whether it is meant: half an hour over a slow line. */
const LARGE_BYTES = 1 << 30;

/** Of text that is not UTF-8; the service finds most of them out by itself. */
const ENCODINGS: readonly (readonly [label: string, title: string])[] = [
  ["utf-8", "UTF-8"],
  ["windows-1252", "Western European (Windows-1252)"],
  ["iso-8859-15", "Western European (ISO 8859-15)"],
  ["windows-1250", "Central European (Windows-1250)"],
  ["iso-8859-2", "Central European (ISO 8859-2)"],
  ["windows-1254", "Turkish (Windows-1254)"],
  ["windows-1257", "Baltic (Windows-1257)"],
  ["windows-1251", "Cyrillic (Windows-1251)"],
  ["koi8-r", "Cyrillic (KOI8-R)"],
  ["windows-1253", "Greek (Windows-1253)"],
  ["windows-1255", "Hebrew (Windows-1255)"],
  ["windows-1256", "Arabic (Windows-1256)"],
  ["windows-874", "Thai (Windows-874)"],
  ["windows-1258", "Vietnamese (Windows-1258)"],
  ["shift_jis", "Japanese (Shift JIS)"],
  ["euc-jp", "Japanese (EUC-JP)"],
  ["gb18030", "Chinese (GB 18030)"],
  ["big5", "Chinese (Big5)"],
  ["euc-kr", "Korean (EUC-KR)"],
  ["utf-16le", "UTF-16, little-endian"],
  ["utf-16be", "UTF-16, big-endian"],
];

export function ChosenFile({ file, limit, formats, onSend, onDrop }: ChosenFileProps) {
  const [name, setName] = useState(() => nameOf(file.name));
  const [format, setFormat] = useState("");
  const [encoding, setEncoding] = useState("");
  const [against, setAgainst] = useState<string | null>(null);
  useEffect(() => {
    let isGone = false;
    const look = async (): Promise<void> => {
      try {
        const first = new Uint8Array(await file.slice(0, LOOKED_AT).arrayBuffer());
        if (isGone) return;
        setFormat(formatOf(file.name, first, formats) ?? "");
        const other = notATable(first);
        if (file.size === 0) setAgainst("The file is empty.");
        else if (other !== null) setAgainst(`This looks like ${other}.`);
      } catch {
        // A folder, or a file that went away.
        if (!isGone) setAgainst("It cannot be read: it is a folder, or it is not there any more.");
      }
    };
    void look();
    return () => {
      isGone = true;
    };
  }, [file, formats]);
  const isTooLarge = limit !== null && file.size > limit;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const chosen = formats.find((each) => each.format === format);
    if (!chosen || isTooLarge || file.size === 0) return;
    const said = chosen.format === "csv" && encoding !== "" ? { encoding } : {};
    onSend({ name: name.trim() === "" ? "dataset" : name.trim(), format: chosen, ...said });
  };
  return (
    <form
      className="card"
      onSubmit={submit}
      data-ready={against === null && !isTooLarge && file.size <= LARGE_BYTES}
    >
      <h2>
        <Text of={file.name} /> <small className="note">{size(file.size)}</small>
      </h2>
      {isTooLarge && limit !== null && (
        <p className="problem">
          The service takes files of up to {size(limit)}, and this one has {size(file.size)}. Send
          fewer rows or columns, or Parquet in place of CSV; data in an object store can be queried
          where it lies.
        </p>
      )}
      {!isTooLarge && file.size > LARGE_BYTES && (
        <p className="warnings">
          This is a large file. It can be paused or cancelled at any time while it is sent, and goes
          on after a lost connection; as Parquet or with .gz it would be several times smaller.
        </p>
      )}
      {against !== null && <p className="warnings">{against}</p>}
      <div className="form-row">
        <Field label="Name of the dataset">
          {(control) => (
            <input
              {...control}
              value={name}
              maxLength={200}
              required
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <Field
          label="Format"
          hint={format === "" ? "Neither the name nor the content says it." : undefined}
        >
          {(control) => (
            <select
              {...control}
              required
              value={format}
              onChange={({ target }) => setFormat(target.value)}
            >
              <option value="">Choose…</option>
              {formats.map((each) => (
                <option key={each.format} value={each.format}>
                  {titleOf(each)}
                </option>
              ))}
            </select>
          )}
        </Field>
        {format === "csv" && (
          <Field label="Encoding" hint="Say it where letters came out wrong.">
            {(control) => (
              <select
                {...control}
                value={encoding}
                onChange={({ target }) => setEncoding(target.value)}
              >
                <option value="">Found out of the file</option>
                {ENCODINGS.map(([label, title]) => (
                  <option key={label} value={label}>
                    {title}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
      </div>
      <div className="actions">
        <Button look="main" type="submit" disabled={isTooLarge || file.size === 0}>
          Upload
        </Button>
        <Button onClick={onDrop}>Leave it out</Button>
      </div>
    </form>
  );
}
