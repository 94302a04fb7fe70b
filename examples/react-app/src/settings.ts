/** The settings that the page loads from its server (see serve.mjs). */
export interface Settings {
  /** A key of kind `client`: every visitor can read it. */
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Whether the page may change flags: true if its server has an access token. */
  readonly canChange: boolean;
}

export const loadSettings = async (): Promise<Settings> => (await fetch('/settings.json')).json();

/** Changes a flag through the page's own server, which holds the access token. Returns an error message, if any. */
export const change = async (what: 'toggle' | 'rollout', body: unknown): Promise<string | undefined> => {
  const reply = await fetch(`/demo/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return reply.ok ? undefined : await reply.text();
};
