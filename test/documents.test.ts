/** Documents over HTTP: what is taken, what is refused, and who sees it. */

import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@distillery/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Fault } from "./support/catalog.ts";
import {
  DocumentUser,
  type FileBytes,
  receipts,
  type UploadAnswer,
  type UploadedDocument,
} from "./support/documents.ts";
import { TokenIssuer } from "./support/issuer.ts";
import { API_KEY, removeHomes, TestServer } from "./support/server.ts";

const ABSENT = "00000000-0000-4000-8000-000000000000";

let issuer: TokenIssuer;
let server: TestServer;
let user: DocumentUser;
beforeAll(async () => {
  issuer = await TokenIssuer.start();
  server = await TestServer.start({ workers: 1, env: issuer.environment });
  user = new DocumentUser(server);
});
afterAll(async () => {
  await server.stop();
  await issuer.stop();
  await removeHomes();
});

interface DocumentPage {
  readonly documents: readonly UploadedDocument[];
  readonly next_page_token: string | null;
}

const list = (of: DocumentUser, query = ""): Promise<DocumentPage> =>
  of.get<DocumentPage>(`/v1/documents${query}`);

const stranger = (name: string): DocumentUser => new DocumentUser(server, issuer.token(name));

async function settled(of: DocumentUser, id: string): Promise<UploadedDocument> {
  for (;;) {
    const document = await of.get<UploadedDocument>(`/v1/documents/${id}`);
    if (document.status !== "parsing") return document;
    await sleep(50);
  }
}

const sha256 = (bytes: FileBytes): string => createHash("sha256").update(bytes).digest("hex");

describe("uploads", () => {
  it("takes many files of several formats at once, in their order", async () => {
    const files: [string, string, string][] = [
      ["notes.md", "# Visit\n\nAll *well*.\n", "text/markdown"],
      ["page.html", "<!doctype html><title>Page</title><p>Total: 12</p>", "text/html"],
      ["rows.csv", "a,b\n1,2\n", "text/csv"],
      ["facts.json", '{"total": 12}', "application/json"],
      ["reçu №7.txt", "Total: 12\n", "text/plain"],
    ];
    const documents = await user.upload(files.map(([name, text]) => [name, text]));
    expect(documents).toEqual(
      files.map(([name, text, mediaType]) => ({
        document_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name,
        status: "ready",
        pages: 1,
        bytes: Buffer.byteLength(text),
        hash: sha256(text),
        media_type: mediaType,
        warnings: [],
        error_message: "",
        created_at: expect.stringMatching(/Z$/),
      })),
    );
    for (const [at, document] of documents.entries()) {
      const path = `/v1/documents/${document.document_id}`;
      expect(await user.get(path)).toEqual(document);
      const content = await user.request("GET", `${path}/content`);
      expect(await content.text()).toBe(files[at]?.[1]);
      expect(content.headers.get("content-type")).toContain(document.media_type);
      expect(content.headers.get("content-disposition")).toMatch(/^attachment/);
      expect(content.headers.get("content-security-policy")).toContain("sandbox");
    }
  });

  it("gives the text that evidence points into, with its pages", async () => {
    const [document] = await user.upload([["two.txt", "First  page\fSecond page\n"]]);
    const { text, pages } = await user.get<{
      text: string;
      pages: { number: number; start: number; end: number }[];
    }>(`/v1/documents/${document?.document_id}/text`);
    expect(text).toBe("First  page\nSecond page");
    expect(pages.map(({ start, end }) => text.slice(start, end))).toEqual([
      "First  page",
      "Second page",
    ]);
  });

  it("knows the same bytes again, whatever they are called and however they come", async () => {
    const text = "The same text\n";
    const [first, again] = await user.upload([
      ["first.txt", text],
      ["again.txt", text],
    ]);
    expect(again).toEqual(first);
    const [later] = await user.upload([["later.txt", text]]);
    expect(later).toEqual(first);
    const { body } = await user.ok("POST", "/v1/documents", { body: { name: "inline.txt", text } });
    expect(body).toEqual({ documents: [first], skipped: [] });
    const simultaneous = await Promise.all(
      Array.from({ length: 4 }, (_, i) => user.upload([[`${i}.txt`, "At the same time\n"]])),
    );
    expect(new Set(simultaneous.flat().map((each) => each.document_id)).size).toBe(1);
  });

  it("answers before it has parsed, where nobody wants to wait", async () => {
    const [good, bad] = await user.upload(
      [
        ["later.txt", "Read behind the answer\n"],
        ["broken.pdf", "%PDF-1.7\nthis is none"],
      ],
      "?wait_seconds=0",
    );
    expect([good, bad]).toMatchObject([
      { status: "parsing", pages: null },
      { status: "parsing", pages: null },
    ]);
    const read = await settled(user, String(good?.document_id));
    expect(read).toMatchObject({ status: "ready", pages: 1, media_type: "text/plain" });
    const unreadable = await settled(user, String(bad?.document_id));
    expect(unreadable).toMatchObject({
      status: "failed",
      error_message: expect.stringMatching(/damaged/),
    });
    const failed = await list(user, "?status=failed");
    expect(failed.documents).toEqual([unreadable]);
    const text = `/v1/documents/${unreadable.document_id}/text`;
    expect(await user.problem("GET", text)).toEqual([409, expect.stringMatching(/damaged/)]);
    // The same bytes are looked at again, and refused where the answer waits for them.
    expect((await user.send([["broken.pdf", "%PDF-1.7\nthis is none"]])).status).toBe(422);
  });
});

describe("files that cannot be read", () => {
  const office = Buffer.concat([
    Buffer.from("d0cf11e0a1b11ae1", "hex"),
    Buffer.alloc(504),
    Buffer.from("EncryptedPackage", "utf16le"),
  ]);
  const faulty: [string, string, FileBytes, string, RegExp][] = [
    ["an empty file", "empty.txt", "", "empty", /empty/],
    ["a file of spaces", "blank.txt", " \n ", "empty", /no text/],
    ["a damaged PDF", "broken.pdf", "%PDF-1.7\nnothing", "damaged", /damaged/],
    ["a protected file", "secret.docx", Uint8Array.from(office), "encrypted", /password/],
    [
      "a program",
      "run.txt",
      Uint8Array.from(Buffer.from("7f454c46020101", "hex")),
      "",
      /type|known/,
    ],
    ["an archive", "all.zip", Uint8Array.from(Buffer.from("504b0506", "hex")), "", /./],
  ];

  it.each(faulty)("%s is refused by its name", async (_, name, bytes, reason, message) => {
    const before = (await list(user)).documents.length;
    const response = await user.send([
      ["good.txt", `Beside ${name}\n`],
      [name, bytes],
    ]);
    const { detail }: { detail: Fault[] } = await response.json();
    expect(response.status, JSON.stringify(detail)).toBe(422);
    expect(detail).toMatchObject([{ loc: ["body", "files", 1], ctx: { name } }]);
    expect(detail[0]?.msg).toContain(name);
    expect(detail[0]?.msg).toMatch(message);
    if (reason !== "") expect(detail[0]?.ctx).toMatchObject({ reason });
    expect((await list(user)).documents.length).toBe(before);
  });

  it("are all named, and left out where that is asked for", async () => {
    const files: [string, FileBytes][] = [
      ["a.pdf", "%PDF-1.7\nA"],
      ["b.txt", "A text among damaged files\n"],
      ["c.pdf", "%PDF-1.7\nC"],
    ];
    const refused: { detail: Fault[] } = await (await user.send(files)).json();
    expect(refused.detail.map(({ loc }) => loc)).toEqual([
      ["body", "files", 0],
      ["body", "files", 2],
    ]);
    const answer: UploadAnswer = await (await user.send(files, "?skip_faulty=true")).json();
    expect(answer.documents.map(({ name }) => name)).toEqual(["b.txt"]);
    expect(answer.skipped).toMatchObject([
      { name: "a.pdf", reason: "damaged" },
      { name: "c.pdf", reason: "damaged" },
    ]);
  });
});

describe("requests that cannot be right", () => {
  const upload = (init: RequestInit): Promise<Response> =>
    user.request("POST", "/v1/documents", init);

  it("no file, a field, a number of files beyond the limit", async () => {
    const bodies: [string[], (form: FormData) => void][] = [
      [["body", "files"], () => undefined],
      [["body", "name"], (form) => form.append("name", "x")],
      [
        ["body", "files"],
        (form) => {
          for (let i = 0; i <= 200; i++) form.append("files", new Blob(["x"]), `${i}.txt`);
        },
      ],
    ];
    for (const [loc, fill] of bodies) {
      const body = new FormData();
      fill(body);
      const response = await upload({ body });
      const { detail }: { detail: Fault[] } = await response.json();
      expect([response.status, detail[0]?.loc], JSON.stringify(detail)).toEqual([422, loc]);
    }
  });

  it("another media type, a body without a boundary, JSON that is no document", async () => {
    const pdf = await upload({ headers: { "content-type": "application/pdf" }, body: "%PDF-" });
    expect(pdf.status).toBe(415);
    expect(pdf.headers.get("accept-post")).toContain("multipart/form-data");
    const bare = { "content-type": "multipart/form-data" };
    expect((await upload({ headers: bare, body: "x" })).status).toBe(400);
    const faults = await user.faults("POST", "/v1/documents", { body: { name: "", more: 1 } });
    expect(faults).toEqual(
      expect.arrayContaining([
        ["body.name", "string_too_short"],
        ["body.text", "missing"],
        ["body.more", "extra_forbidden"],
      ]),
    );
  });

  it("a file beyond the limit", async () => {
    const body = new FormData();
    body.append("files", new Blob([new Uint8Array(50 * 1024 * 1024 + 1)]), "huge.txt");
    const response = await upload({ body });
    expect(response.status).toBe(413);
    expect((await response.json()).detail).toContain("huge.txt");
  });

  it("a body that is cut off leaves nothing, and is nobody else's while it comes", async () => {
    const received = async (): Promise<readonly string[]> =>
      (await readdir(join(server.home, "cache"), { recursive: true })).filter((path) =>
        /\/documents\/./.test(path),
      );
    const before = { documents: (await list(user)).documents.length, received: await received() };
    const headers = { "idempotency-key": "cut" };
    const head =
      '--cut\r\nContent-Disposition: form-data; name="files"; filename="cut.txt"\r\n\r\n';
    const cut = httpRequest(new URL("/v1/documents", server.baseUrl), {
      method: "POST",
      headers: {
        ...headers,
        authorization: `Bearer ${API_KEY}`,
        "content-type": "multipart/form-data; boundary=cut",
        "content-length": "100000",
        expect: "100-continue",
      },
    });
    const begun = once(cut, "continue");
    const closed = new Promise<void>((resolve) => {
      cut.on("error", () => undefined);
      cut.on("close", () => resolve());
    });
    cut.write(`${head}the beginning`);
    await begun;
    // It is written once the key is taken.
    const isWritten = async (): Promise<boolean> =>
      (await received()).some((path) => !before.received.includes(path));
    await expect.poll(isWritten).toBe(true);
    const body = { name: "other.txt", text: " " };
    const again = () => user.ask("POST", "/v1/documents", { headers, body });
    expect((await again()).status).toBe(409);
    cut.destroy();
    await closed;
    await expect.poll(async () => (await again()).status).toBe(422);
    expect((await list(user)).documents.length).toBe(before.documents);
  });
});

describe("documents that are there", () => {
  it("are listed newest first, page by page", async () => {
    const reader = stranger("reader");
    for (const file of receipts(5)) await reader.upload([file]);
    const names: string[] = [];
    let token: string | null = "";
    for (let pages = 0; token !== null; pages++) {
      expect(pages).toBeLessThan(3);
      const page: DocumentPage = await list(
        reader,
        `?limit=2${token === "" ? "" : `&page_token=${encodeURIComponent(token)}`}`,
      );
      names.push(...page.documents.map(({ name }) => name));
      token = page.next_page_token;
    }
    expect(names).toEqual([4, 3, 2, 1, 0].map((i) => `receipt-${i}.txt`));
    const typed = createClient({ url: server.baseUrl, token: issuer.token("reader") });
    const { documents } = await typed.documents.list.query({ limit: 1 });
    expect(documents.map(({ name }) => name)).toEqual(["receipt-4.txt"]);
    const { skills } = await typed.agentic.skills.query();
    expect(skills).toContainEqual({
      slug: "general",
      title: expect.any(String),
      description: expect.any(String),
      document_types: expect.any(Array),
    });
    expect(await reader.get("/v1/agentic/documents/skills")).toEqual({ skills });
  });

  it("are seen by nobody else, who may have the same bytes as a document of their own", async () => {
    const [owner, other] = [stranger("owner"), stranger("other")];
    const text = "Between two organizations\n";
    const [mine] = await owner.upload([["mine.txt", text]]);
    const path = `/v1/documents/${mine?.document_id}`;
    for (const [method, at] of [
      ["GET", path],
      ["GET", `${path}/text`],
      ["GET", `${path}/content`],
      ["DELETE", path],
    ] as const) {
      expect(await other.problem(method, at)).toEqual([404, "There is no such document."]);
    }
    expect((await list(other)).documents).toEqual([]);
    const [theirs] = await other.upload([["theirs.txt", text]]);
    expect(theirs).toMatchObject({ name: "theirs.txt", hash: mine?.hash });
    expect(theirs?.document_id).not.toBe(mine?.document_id);
  });

  it("are gone once they are deleted, and may come again", async () => {
    const owner = stranger("deleter");
    const [document] = await owner.upload([["gone.txt", "Soon gone\n"]]);
    const path = `/v1/documents/${document?.document_id}`;
    expect((await owner.ok("DELETE", path)).body).toEqual({
      id: document?.document_id,
      deleted: true,
    });
    for (const at of [path, `${path}/content`, `${path}/text`]) {
      expect((await owner.problem("GET", at))[0]).toBe(404);
    }
    const [again] = await owner.upload([["back.txt", "Soon gone\n"]]);
    expect(again?.document_id).not.toBe(document?.document_id);
    expect((await owner.problem("GET", `/v1/documents/${ABSENT}`))[0]).toBe(404);
  });
});
