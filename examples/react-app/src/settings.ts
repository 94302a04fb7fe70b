/** What the server of this page tells it (see serve.mjs). */
export interface Settings {
  /** A key of kind `client`: every visitor can read it. */
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Whether the page may change flags, which only a demo lets it. */
  readonly canChange: boolean;
}

export const loadSettings = async (): Promise<Settings> => (await fetch('/settings.json')).json();

/** Asks the page's own server to change a flag: access tokens do not belong into pages. */
export const change = async (what: 'toggle' | 'rollout', body: unknown): Promise<string | undefined> => {
  const reply = await fetch(`/demo/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return reply.ok ? undefined : await reply.text();
};
