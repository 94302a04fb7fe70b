interface Access {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly accessToken: string;
}

/** Toggles a flag in the key's environment through the API. Returns whether the flag is now enabled. */
export async function toggle({ baseUrl, apiKey, accessToken }: Access, flagKey: string): Promise<boolean> {
  const call = async (path: string, headers: Record<string, string>, body?: unknown) => {
    const response = await fetch(`${baseUrl}${path}`, {
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { data: unknown; error?: { message: string } };
    if (!response.ok) throw new Error(`${path}: ${answer.error?.message}`);
    return answer.data;
  };
  const bearer = { authorization: `Bearer ${accessToken}` };
  const { environment_id } = (await call('/sdk/ruleset', { 'x-api-key': apiKey })) as {
    environment_id: string;
  };
  const query = `environment_id=${environment_id}`;
  const flags = (await call(`/flags?${query}&search=${flagKey}`, bearer)) as {
    id: string;
    key: string;
    enabled: boolean;
  }[];
  const { id, enabled } = flags.find(({ key }) => key === flagKey)!;
  await call(`/flags/${id}/toggle?${query}`, bearer, { enabled: !enabled });
  return !enabled;
}
