/** Calls the API and returns `data`. Throws the server's message on a refusal. */
export type Api = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** A minimal client of the server's API, for the demo. */
export function createApi(baseUrl: string, accessToken?: string): Api {
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer =
      response.status === 204
        ? {}
        : ((await response.json()) as { data?: T; error?: { code: string; message: string } });
    if (!response.ok) {
      const { code, message } = (answer as { error?: { code: string; message: string } }).error ?? {
        code: response.status,
        message: 'no reason given',
      };
      throw new Error(`${method} ${path} answered ${code}: ${message}`);
    }
    return (answer as { data: T }).data;
  };
}
