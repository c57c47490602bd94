/** A connector as the service holds it: where it leads, and its credentials sealed. */

/** The last segment of a connector's name. */
export const CONNECTOR_SEGMENT = "[a-z0-9](?:[a-z0-9._~-]*[a-z0-9])?";
export const CONNECTOR_ID = new RegExp(`^${CONNECTOR_SEGMENT}$`);

export const ENGINES = ["postgres", "trino"] as const;
export type Engine = (typeof ENGINES)[number];

interface ConnectorBase {
  readonly organizationId: string;
  readonly id: string;
  /** The last segment of `workspaces/{workspace}/connectors/{connector}`. */
  readonly name: string;
  /** Empty where there is none. */
  readonly credentialName: string;
  /** Sealed for [organization, connector]; null where there are no credentials. */
  readonly sealed: string | null;
  /** Counts changes. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** As stored. */
export interface ObjectStoreAddress {
  /** `s3://bucket/prefix` or `file:///folder/`: nothing outside it is within reach. */
  readonly url: string;
  readonly endpoint: string | null;
  readonly region: string | null;
  readonly path_style: boolean | null;
}

/** As stored. */
export interface WarehouseAddress {
  readonly engine: Engine;
  readonly url: string;
}

export interface SettingsOf {
  readonly objstore: ObjectStoreAddress;
  readonly warehouse: WarehouseAddress;
}

export interface ObjectStoreConnector extends ConnectorBase {
  readonly kind: "objstore";
  readonly settings: SettingsOf["objstore"];
}

export interface WarehouseConnector extends ConnectorBase {
  readonly kind: "warehouse";
  readonly settings: SettingsOf["warehouse"];
}

export type Connector = ObjectStoreConnector | WarehouseConnector;
export type ConnectorKind = Connector["kind"];
export type ConnectorOf<Kind extends ConnectorKind> = Extract<Connector, { kind: Kind }>;

/** What `sealed` opens to, for each kind. */
export interface ObjectStoreCredentials {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token?: string | undefined;
}

export interface WarehouseCredentials {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
}

export interface CredentialsOf {
  readonly objstore: ObjectStoreCredentials;
  readonly warehouse: WarehouseCredentials;
}
