/** What is asked for each kind of source, and the request that comes of it. */

import type { Inputs } from "@distillery/client";

export interface ConnectorForm {
  readonly name: string;
  readonly url: string;
  readonly endpoint: string;
  readonly region: string;
  /** The access key's id, or the user's name. */
  readonly user: string;
  readonly secret: string;
  readonly token: string;
}

export const EMPTY_FORM: ConnectorForm = {
  ...{ name: "", url: "", endpoint: "", region: "", user: "", secret: "", token: "" },
};

interface FormField {
  readonly member: keyof ConnectorForm;
  readonly label: string;
  readonly hint?: string;
  /** Of the request's member, for what the service says of it. */
  readonly place: string;
  readonly example?: string;
  readonly isSecret?: boolean;
  readonly isRequired?: boolean;
}

export type ConnectorRequest =
  | { readonly kind: "objstore"; readonly body: Inputs["objectStoreConnectors"]["create"] }
  | { readonly kind: "warehouse"; readonly body: Inputs["warehouseConnectors"]["create"] };

interface Source {
  readonly title: string;
  readonly says: string;
  readonly fields: readonly FormField[];
  readonly requestOf: (form: ConnectorForm) => ConnectorRequest;
}

export type SourceKind = "s3" | "folder" | "postgres" | "trino";

const name: FormField = {
  ...{ member: "name", label: "Name of the connector", place: "connector_name" },
  ...{ hint: "Small letters, digits, dots and hyphens.", isRequired: true },
};
const secret: FormField = {
  ...{ member: "secret", label: "Password", place: "credentials.password", isSecret: true },
};
const given = (text: string): string | undefined => (text === "" ? undefined : text);

export const SOURCES: Readonly<Record<SourceKind, Source>> = {
  s3: {
    title: "S3 object store",
    says: "Files in a bucket of Amazon S3, or of any server that speaks its protocol.",
    fields: [
      name,
      {
        ...{ member: "url", label: "Bucket and prefix", place: "url", isRequired: true },
        ...{ example: "s3://bucket/prefix/", hint: "Nothing outside it is within reach." },
      },
      {
        ...{ member: "endpoint", label: "Server", place: "endpoint" },
        ...{ hint: "Empty for Amazon's own.", example: "https://minio.example.com" },
      },
      { member: "region", label: "Region", place: "region", example: "us-east-1" },
      {
        ...{ member: "user", label: "Access key ID", place: "credentials.access_key_id" },
        hint: "Empty for a bucket that is open to all.",
      },
      {
        ...{ member: "secret", label: "Secret access key", isSecret: true },
        place: "credentials.secret_access_key",
      },
      {
        ...{ member: "token", label: "Session token", isSecret: true },
        ...{ place: "credentials.session_token", hint: "Only of temporary credentials." },
      },
    ],
    requestOf: ({ name: connector_name, url, endpoint, region, user, secret: key, token }) => ({
      kind: "objstore",
      body: {
        ...{ connector_name, url, endpoint: given(endpoint), region: given(region) },
        ...((user !== "" || key !== "") && {
          credentials: {
            ...{ access_key_id: user, secret_access_key: key },
            ...(token !== "" && { session_token: token }),
          },
        }),
      },
    }),
  },
  folder: {
    title: "Folder of the service",
    says: "Files on the service's own machine, below a folder that its operator allowed.",
    fields: [
      name,
      {
        ...{ member: "url", label: "Folder", place: "url", isRequired: true },
        example: "file:///data/lake/",
      },
    ],
    requestOf: ({ name: connector_name, url }) => ({
      kind: "objstore",
      body: { connector_name, url },
    }),
  },
  postgres: {
    title: "PostgreSQL",
    says: "Tables of a database; filters and columns are left to it.",
    fields: [
      name,
      {
        ...{ member: "url", label: "Address", place: "url", isRequired: true },
        ...{ example: "postgres://host:5432/database?sslmode=require" },
        hint: "Without the user and the password, which go below.",
      },
      { member: "user", label: "User", place: "credentials.username" },
      secret,
    ],
    requestOf: ({ name: connector_name, url, user, secret: password }) => ({
      kind: "warehouse",
      body: {
        ...{ connector_name, kind: "postgres", url },
        ...((user !== "" || password !== "") && {
          credentials: { username: given(user), password: given(password) },
        }),
      },
    }),
  },
  trino: {
    title: "Trino",
    says: "Tables of everything that a Trino coordinator reaches.",
    fields: [
      name,
      {
        ...{ member: "url", label: "Address of the coordinator", place: "url" },
        ...{ isRequired: true, example: "https://trino.example.com" },
      },
      { member: "user", label: "User", place: "credentials.username" },
      secret,
      {
        ...{ member: "token", label: "Token", place: "credentials.token", isSecret: true },
        hint: "In place of a password.",
      },
    ],
    requestOf: ({ name: connector_name, url, user, secret: password, token }) => ({
      kind: "warehouse",
      body: {
        ...{ connector_name, kind: "trino", url },
        ...((user !== "" || password !== "" || token !== "") && {
          credentials: {
            ...{ username: given(user), password: given(password), token: given(token) },
          },
        }),
      },
    }),
  },
};
