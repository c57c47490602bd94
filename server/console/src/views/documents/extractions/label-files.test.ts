import { expect, it } from "vitest";
import { labelsCsv, labelsJson } from "./label-files.ts";
import type { Label } from "./labels.ts";

const label = (question_id: string, value: Label["value"], unit: string | null = null): Label => ({
  ...{ id: "1", document_id: "d", document_name: 'scan "2", front.png', question_id, value, unit },
  ...{ labelled_by: "k", key_name: "Ann", created_at: "2031-01-01T00:00:00.000Z" },
  updated_at: "2031-01-02T00:00:00.000Z",
});

it("writes a line for each label, and leaves empty what the document does not state", () => {
  expect(labelsCsv([label("total", 12.5, "EUR"), label("note", null), label("paid", false)])).toBe(
    [
      "document_id,document_name,question_id,value,unit,labelled_by,updated_at",
      'd,"scan ""2"", front.png",total,12.5,EUR,k,2031-01-02T00:00:00.000Z',
      'd,"scan ""2"", front.png",note,,,k,2031-01-02T00:00:00.000Z',
      'd,"scan ""2"", front.png",paid,false,,k,2031-01-02T00:00:00.000Z',
      "",
    ].join("\r\n"),
  );
});

it("writes JSON that reads back as the service lists them", () => {
  const labels = [label("total", 12.5), label("note", null)];
  expect(JSON.parse(labelsJson(labels))).toEqual({ labels });
});
