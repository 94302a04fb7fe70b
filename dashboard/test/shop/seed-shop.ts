import { PASSWORD, people } from './people.ts';

type Row = Readonly<Record<string, unknown>> & { readonly id: string };

const AREAS = [
  'checkout',
  'payments',
  'search',
  'catalogue',
  'pricing',
  'ops',
  'mail',
  'stores',
  'app',
  'performance',
];
const NAMES = ['layout', 'retry', 'suggestions', 'reviews', 'bundles', 'limits'];

/** Fills an empty server with Northwind Market: four people, 60 flags, three environments, and a freeze of production. */
export async function seedShop(origin: string): Promise<void> {
  const { admin, ...others } = people;
  await call(origin, 'POST', '/auth/register', { body: personBody(admin) });
  const token = await logIn(origin, admin.email);
  const send = (method: string, path: string, body?: object) => call(origin, method, path, { token, body });
  const me = (await send('GET', '/auth/me')) as Row & { readonly organizations: readonly Row[] };
  const organization = me.organizations[0]!.id;
  for (const person of Object.values(others)) {
    await call(origin, 'POST', '/auth/register', { body: personBody(person) });
  }
  const members = (await send(
    'GET',
    `/organizations/${organization}/members`,
  )) as unknown as readonly (Row & { email: string; user_id?: string })[];
  for (const { email, role } of Object.values(others)) {
    const member = members.find((one) => one.email === email);
    if (member)
      await send('PATCH', `/organizations/${organization}/members/${member.user_id ?? member.id}`, { role });
  }
  await send('PATCH', `/organizations/${organization}`, { name: 'Northwind Market' });
  const [project] = (await send('GET', '/projects')) as unknown as readonly Row[];
  await send('PATCH', `/projects/${project!.id}`, { name: 'Storefront' });
  const environments = (await send(
    'GET',
    `/environments?project_id=${project!.id}`,
  )) as unknown as readonly (Row & { type: string })[];
  await seedFlags(send, environments);
  const production = environments.find(({ type }) => type === 'production')!;
  await send('POST', '/freeze-windows', {
    name: 'Peak week',
    reason: 'The busiest week of the year',
    starts_at: new Date(Date.now() + 2_000).toISOString(),
    ends_at: new Date(Date.now() + 6 * 86_400_000).toISOString(),
    scope: { environment_ids: [production.id] },
  });
}

async function seedFlags(
  send: (method: string, path: string, body?: object) => Promise<Row>,
  environments: readonly Row[],
): Promise<void> {
  for (const [index, [area, name]] of AREAS.flatMap((one) => NAMES.map((two) => [one, two])).entries()) {
    const { id } = await send('POST', `/flags?environment_id=${environments[0]!.id}`, {
      key: `${area}-${name}`,
      name: `${area![0]!.toUpperCase()}${area!.slice(1)} ${name}`,
      flag_type: 'boolean',
      variations: [
        { key: 'on', name: 'On', value: true },
        { key: 'off', name: 'Off', value: false },
      ],
      default_variation: 'off',
      tags: [area],
    });
    for (const environment of environments.slice(0, index % 4))
      await send('POST', `/flags/${id}/toggle?environment_id=${environment.id}`, { enabled: true });
  }
}

const personBody = ({ email, name }: { readonly email: string; readonly name: string }) => ({
  email,
  password: PASSWORD,
  full_name: name,
});

async function logIn(origin: string, email: string): Promise<string> {
  const { access_token: token } = await call(origin, 'POST', '/auth/login', {
    body: { email, password: PASSWORD },
  });
  return String(token);
}

/** Calls the API through the dashboard's address, as its pages do. */
async function call(
  origin: string,
  method: string,
  path: string,
  { token, body }: { readonly token?: string; readonly body?: object | undefined },
): Promise<Row> {
  const isSession = path === '/auth/register' || path === '/auth/login';
  const url = isSession ? `${origin}/auth/${path.split('/').at(-1)}` : `${origin}/api/v1${path}`;
  const response = await fetch(url, {
    method,
    headers: {
      origin,
      'x-requested-with': 'flagsvc-dashboard',
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (JSON.parse(text) as { data: Row }).data;
}
