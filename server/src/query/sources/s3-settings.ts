/** What a connector knows of a server of the S3 API. */

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface S3Settings {
  /** `s3://bucket/prefix`: objects outside the prefix are out of reach. */
  readonly url: string;
  /** An http or https URL; null = Amazon's own of the region. */
  readonly endpoint: string | null;
  /** Null = `us-east-1`, which servers other than Amazon's mostly take for theirs. */
  readonly region: string | null;
  /** Null = path style exactly where an endpoint is given. */
  readonly pathStyle: boolean | null;
  /** Null = anonymous; never the service's own. */
  readonly credentials: S3Credentials | null;
}
