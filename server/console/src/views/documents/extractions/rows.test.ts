import { expect, it } from "vitest";
import { type Answer, corrected, csvOf, highlightOf, labelled, type Row, shownIn } from "./rows.ts";

const answer = (value: Answer["value"]): Answer => ({
  value,
  unit: null,
  confidence: 0.5,
  page: 2,
  span: { text: "x", start: 3, end: 4, box: null },
});
const rows: readonly Row[] = [
  {
    document_id: "d1",
    name: 'a "b", c.pdf',
    columns: { kept: true },
    answers: { total: answer(12.5), note: answer(null) },
  },
  {
    document_id: "d2",
    name: "e.txt",
    answers: { total: answer(null), note: answer("two\nlines") },
  },
];

it("keeps what differs from what was read, and nothing else", () => {
  const one = corrected(rows, {}, 0, "total", "13");
  expect(shownIn(rows, one, 0, "total")).toBe("13");
  expect(corrected(rows, one, 0, "total", "12.5")).toEqual({});
  expect(shownIn(rows, corrected(rows, one, 1, "note", ""), 1, "note")).toBe("");
});

it("writes the rows as corrected, quoted where it must be", () => {
  expect(csvOf(rows, corrected(rows, {}, 1, "total", "7"))).toBe(
    'document_id,document_name,kept,total,note\r\nd1,"a ""b"", c.pdf",true,12.5,\r\nd2,e.txt,,7,"two\nlines"\r\n',
  );
});

it("lets a question have its name before the columns beside it", () => {
  const odd: Row[] = [{ document_id: "d", name: "n", answers: { document_id: answer("x") } }];
  expect(csvOf(odd, {}).split("\r\n")[0]).toBe("document_id_,document_name,document_id");
});

it("highlights the place of an answer, if it has one", () => {
  expect(highlightOf(rows[0]?.answers["total"])).toEqual({ page: 2, start: 3, end: 4, box: null });
  expect(highlightOf(undefined)).toBeNull();
});

it("shows labels in every row of their document, where they differ from what was read", () => {
  const row = (document_id: string, total: number | null): Row => ({
    ...{ document_id, name: document_id, answers: { total: answer(total) } },
  });
  const label = (
    document_id: string,
    question_id: string,
    value: Answer["value"],
    unit: string | null = null,
  ) => ({ document_id, question_id, value, unit });
  const labels = [
    label("a", "total", 3),
    label("c", "total", 4, "EUR"),
    label("b", "total", null),
    label("b", "asked no more", "x"),
    label("elsewhere", "total", 9),
  ];
  expect(labelled([row("a", 1), row("b", 2), row("a", 3), row("c", 4)], labels)).toEqual({
    "0 total": "3",
    "1 total": "",
    "3 total": "4 EUR",
  });
});
