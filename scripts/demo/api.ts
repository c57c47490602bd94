/** A bare REST client, as any user could write it. */

export interface Api {
  readonly baseUrl: string;
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
  upload<T>(path: string, contentType: string, body: string): Promise<T>;
}

export function connect(baseUrl: string, key: string): Api {
  async function call<T>(method: string, path: string, type?: string, body?: string): Promise<T> {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(type ? { "content-type": type } : {}) },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text);
  }
  return {
    baseUrl,
    get: (path) => call("GET", path),
    post: (path, body) => call("POST", path, "application/json", JSON.stringify(body)),
    upload: (path, contentType, body) => call("POST", path, contentType, body),
  };
}
