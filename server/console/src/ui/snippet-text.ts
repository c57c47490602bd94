/** One call of the service, written for a shell, for TypeScript and for Python. */

/** An operation as it is called; both forms say the same. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its query, such as `/v1/models?limit=10`. */
  readonly path: string;
  readonly body?: unknown;
  /** As our client names it, such as `training.run.mutate`; absent where it is no procedure. */
  readonly procedure?: string;
  /** What the procedure takes: one flat object. Absent: the body. */
  readonly input?: unknown;
}

export const LANGUAGES = ["curl", "typescript", "python"] as const;
export type Language = (typeof LANGUAGES)[number];

const TOKEN = "DISTILLERY_API_KEY";

/** @param origin of the service, such as `http://127.0.0.1:8080` */
export function snippetOf(language: Language, call: Call, origin: string): string {
  return WRITERS[language](call, origin);
}

const WRITERS: Readonly<Record<Language, (call: Call, origin: string) => string>> = {
  curl: ({ method, path, body }, origin) =>
    [
      `curl${method === "GET" ? "" : ` -X ${method}`} ${inShell(origin + path)}`,
      `  -H "Authorization: Bearer $${TOKEN}"`,
      ...(body === undefined
        ? []
        : ['  -H "Content-Type: application/json"', `  -d ${inShell(written(body, JSON_STYLE))}`]),
    ].join(" \\\n"),

  typescript: ({ method, path, body, procedure, input = body }, origin) =>
    [
      'import { createClient } from "@distillery/client";',
      "",
      "const client = createClient({",
      `  url: ${JSON.stringify(origin)},`,
      `  token: process.env.${TOKEN},`,
      "});",
      ...(procedure === undefined
        ? requestLines(method, path, body)
        : [
            `const answer = await client.${procedure}(${input === undefined ? "" : written(input, SCRIPT_STYLE)});`,
          ]),
      "console.log(answer);",
    ].join("\n"),

  python: ({ method, path, body }, origin) =>
    [
      "import os",
      "import requests",
      "",
      `answer = requests.${method.toLowerCase()}(`,
      `    ${JSON.stringify(origin + path)},`,
      `    headers={"Authorization": f"Bearer {os.environ['${TOKEN}']}"},`,
      ...(body === undefined ? [] : [`    json=${indented(written(body, PYTHON_STYLE), 4)},`]),
      ")",
      "answer.raise_for_status()",
      "print(answer.json())",
    ].join("\n"),
};

function requestLines(method: string, path: string, body: unknown): string[] {
  const asking = [
    ...(method === (body === undefined ? "GET" : "POST")
      ? []
      : [`  method: ${JSON.stringify(method)},`]),
    ...(body === undefined ? [] : [`  json: ${indented(written(body, SCRIPT_STYLE), 2)},`]),
  ];
  const options = asking.length === 0 ? "" : `, {\n${asking.join("\n")}\n}`;
  return [
    `const response = await client.request(${JSON.stringify(path)}${options});`,
    "const answer = await response.json();",
  ];
}

interface Style {
  readonly indent: number;
  readonly key: (name: string) => string;
  readonly word: (value: true | false | null) => string;
}

const JSON_STYLE: Style = { indent: 2, key: (name) => JSON.stringify(name), word: String };
const SCRIPT_STYLE: Style = {
  ...JSON_STYLE,
  key: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)),
};
const PYTHON_STYLE: Style = {
  ...JSON_STYLE,
  indent: 4,
  word: (value) => (value === null ? "None" : value ? "True" : "False"),
};

/** Longer ones take a line for each member. */
const LINE = 68;

function written(value: unknown, style: Style): string {
  if (value === null || typeof value === "boolean") return style.word(value);
  if (typeof value !== "object") return JSON.stringify(value);
  const members = Array.isArray(value)
    ? value.map((item) => written(item, style))
    : Object.entries(value).flatMap(([name, member]) =>
        member === undefined ? [] : [`${style.key(name)}: ${written(member, style)}`],
      );
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (members.length === 0) return open + close;
  const space = Array.isArray(value) ? "" : " ";
  const line = `${open}${space}${members.join(", ")}${space}${close}`;
  if (line.length <= LINE && !line.includes("\n")) return line;
  const pad = " ".repeat(style.indent);
  const lines = members.map((member) => `${pad}${indented(member, style.indent)}`);
  return `${open}\n${lines.join(",\n")}\n${close}`;
}

/** All lines but the first, further to the right. */
const indented = (text: string, by: number): string => text.replaceAll("\n", `\n${" ".repeat(by)}`);

/** Between single quotes a shell reads everything as it stands. */
const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
