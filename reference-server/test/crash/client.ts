/** What the crash test needs of the API, over real HTTP. */
export interface Installation {
  readonly accessToken: string;
  readonly apiKey: string;
  readonly environmentId: string;
  readonly flagIds: readonly string[];
}

/** A request that got no answer, because the server was killed: nobody knows what became of it. */
export class NoAnswer extends Error {}

interface Answer {
  readonly status: number;
  readonly etag: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: the shapes of many routes
  readonly data: any;
}

/** Registers an admin and makes an API key and as many flags as asked for, in the production environment. */
export async function install(url: string, flags: number): Promise<Installation> {
  const account = { email: 'crash@example.com', password: 'correct horse battery' };
  await must(url, 'POST', '/auth/register', {}, account);
  const { access_token } = await must(url, 'POST', '/auth/login', {}, account);
  const bearer = { authorization: `Bearer ${access_token}` };
  const [project] = await must(url, 'GET', '/projects', bearer);
  const environments = await must(url, 'GET', `/projects/${project.id}/environments`, bearer);
  const environment = environments.find(({ key }: { key: string }) => key === 'production');
  const { key } = await must(url, 'POST', `/environments/${environment.id}/api-keys`, bearer, {
    name: 'crash',
  });
  const flagIds: string[] = [];
  for (let index = 0; index < flags; index++) {
    const flag = await must(url, 'POST', `/flags?environment_id=${environment.id}`, bearer, {
      key: `flag-${index}`,
      name: `Flag ${index}`,
      flag_type: 'boolean',
      variations: [
        { key: 'on', name: 'On', value: true },
        { key: 'off', name: 'Off', value: false },
      ],
      default_variation: 'off',
    });
    flagIds.push(flag.id);
  }
  return { accessToken: access_token, apiKey: key, environmentId: environment.id, flagIds };
}

/** Throws `NoAnswer` when the connection ended before the whole answer was there. */
export async function call(
  url: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<Answer> {
  let status: number;
  let etag: string | null;
  let text: string;
  try {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    status = response.status;
    etag = response.headers.get('etag');
    text = await response.text();
  } catch (error) {
    throw new NoAnswer('no answer', { cause: error });
  }
  return { status, etag, data: text === '' ? undefined : JSON.parse(text).data };
}

async function must(...request: Parameters<typeof call>) {
  const { status, data } = await call(...request);
  if (status >= 300) throw new Error(`${request[1]} ${request[2]} was answered with ${status}`);
  return data;
}
