/**
 * What the floor of the resources says in the document beside its schemas: an introduction, the order
 * of the areas, what members of equal names mean, and an example of each body, taken and given.
 */

export interface DocumentGuide {
  /** Markdown; the head of the document. */
  readonly description: string;
  /** Areas in the order in which they are shown; others follow by name. */
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /**
   * Descriptions of members and parameters that have none of their own: by name, by the name behind
   * that of the member around it, or behind the component's or the operation's (`Problem.title`).
   */
  readonly terms: Readonly<Record<string, string>>;
  /** Examples of request bodies, by operation and media type. */
  readonly examples: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Examples of the JSON body of success, by operation. */
  readonly answers: Readonly<Record<string, unknown>>;
}

type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const nodesOf = (value: unknown): readonly (readonly [string, Node])[] =>
  isNode(value)
    ? Object.entries(value).flatMap(([name, member]) =>
        isNode(member) ? [[name, member] as const] : [],
      )
    : [];

const METHODS = new Set(["get", "post", "put", "patch", "delete"]);

/** Writes terms and examples into a document, in place. */
export function applyGuide(document: object, { terms, examples, answers }: DocumentGuide): void {
  if (!isNode(document)) return;
  const { paths, components } = document;
  const describe = new TermWriter(terms);
  if (isNode(components)) {
    for (const [name, schema] of nodesOf(components["schemas"])) describe.schema(schema, name, "");
  }
  for (const [, item] of nodesOf(paths)) {
    for (const [method, operation] of nodesOf(item)) {
      if (!METHODS.has(method)) continue;
      const id = String(operation["operationId"]);
      const { parameters, requestBody, responses } = operation;
      for (const parameter of Array.isArray(parameters) ? parameters : []) {
        if (isNode(parameter)) describe.member(parameter, String(parameter["name"]), id, "");
      }
      for (const [type, media] of contentOf(requestBody)) {
        const example = examples[id]?.[type];
        if (example !== undefined) media["example"] = example;
        describe.anything(media["schema"], id, "");
      }
      for (const [, response] of nodesOf(responses)) {
        for (const [type, media] of contentOf(response)) {
          // Failures are references to components, which have examples of their own.
          if (type === "application/json" && answers[id] !== undefined) {
            media["example"] = answers[id];
          }
          describe.anything(media["schema"], id, "");
        }
      }
    }
  }
}

const contentOf = (holder: unknown): readonly (readonly [string, Node])[] =>
  isNode(holder) ? nodesOf(holder["content"]) : [];

/** The keywords under which a schema holds others of the same value or of its items. */
const NESTED = ["items", "additionalProperties", "anyOf", "oneOf", "allOf", "prefixItems"];

class TermWriter {
  readonly #terms: Readonly<Record<string, string>>;
  readonly #seen = new Set<Node>();

  constructor(terms: Readonly<Record<string, string>>) {
    this.#terms = terms;
  }

  anything(value: unknown, scope: string, around: string): void {
    if (Array.isArray(value)) for (const item of value) this.anything(item, scope, around);
    else if (isNode(value)) this.schema(value, scope, around);
  }

  schema(schema: Node, scope: string, around: string): void {
    if (this.#seen.has(schema)) return;
    this.#seen.add(schema);
    for (const [name, member] of nodesOf(schema["properties"])) {
      this.member(member, name, scope, around);
      this.schema(member, scope, name);
    }
    for (const keyword of NESTED) this.anything(schema[keyword], scope, around);
  }

  member(member: Node, name: string, scope: string, around: string): void {
    if (member["description"] !== undefined || member["$ref"] !== undefined) return;
    const term = [`${scope}.${name}`, `${around}.${name}`, name].find((key) =>
      Object.hasOwn(this.#terms, key),
    );
    if (term !== undefined) member["description"] = this.#terms[term];
  }
}
