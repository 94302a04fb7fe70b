import { Agent, request } from 'node:http';

/** One active flag of the environment that the benchmark's API key belongs to. */
export interface Toggle {
  readonly flagKey: string;
  readonly environmentId: string;
  readonly accessToken: string;
  /** Toggles the flag durably, and resolves with its new state when the server has acknowledged it. */
  switch(): Promise<boolean>;
}

/** Uses `node:http`, not `fetch`: each asynchronous step of `fetch` would queue behind the other traffic of this process. */
function createCall(base: string) {
  const agent = new Agent({ keepAlive: true });
  return (method: string, path: string, token?: string, body?: object): Promise<never> =>
    new Promise((resolve, reject) => {
      const headers = {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      };
      const sending = request(`${base}${path}`, { agent, method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          if (response.statusCode! < 400) resolve(JSON.parse(Buffer.concat(chunks).toString()).data as never);
          else reject(new Error(`${method} ${path} was answered with ${response.statusCode}.`));
        });
      });
      sending.on('error', reject);
      sending.end(body === undefined ? undefined : JSON.stringify(body));
    });
}

/** Registers the first user of a fresh installation and picks a flag. `base` ends in `/api/v1`. */
export async function createToggle(base: string): Promise<Toggle> {
  const call = createCall(base);
  const account = { email: 'bench@example.com', password: 'correct horse' };
  await call('POST', '/auth/register', undefined, account);
  const { access_token: token } = await call('POST', '/auth/login', undefined, account);
  const [project]: { id: string }[] = await call('GET', '/projects', token);
  const environments: { id: string; type: string }[] = await call(
    'GET',
    `/projects/${project!.id}/environments`,
    token,
  );
  const { id } = environments.find(({ type }) => type === 'production')!;
  const flags: { id: string; key: string; status: string }[] = await call(
    'GET',
    `/flags?environment_id=${id}`,
    token,
  );
  const flag = flags.find(({ status }) => status === 'active')!;
  const path = `/flags/${flag.id}/toggle?environment_id=${id}`;
  await call('POST', path, token, { enabled: false });
  let enabled = false;
  return {
    flagKey: flag.key,
    environmentId: id,
    accessToken: token,
    async switch() {
      enabled = !enabled;
      await call('POST', path, token, { enabled });
      return enabled;
    },
  };
}
