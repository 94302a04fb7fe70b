// Creates what the example needs through the API of a new server.

const ACCOUNT = { email: 'ada@example.com', password: 'correct horse battery', full_name: 'Ada' };

/** Creates flags and a key of each kind. Returns the keys, and what changes and counts the service's flag. */
export async function setUp(origin) {
  const call = async (method, path, body, token) => {
    const response = await fetch(`${origin}/api/v1${path}`, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { data, error } = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${error.message}`);
    return data;
  };
  await call('POST', '/auth/register', ACCOUNT);
  const { access_token: token } = await call('POST', '/auth/login', ACCOUNT);
  const api = (method, path, body) => call(method, path, body, token);
  const [project] = await api('GET', '/projects');
  const environments = await api('GET', `/projects/${project.id}/environments`);
  const { id: environment } = environments.find(({ key }) => key === 'development');

  const create = (key, values, more) =>
    api('POST', `/flags?environment_id=${environment}`, {
      key,
      name: key,
      variations: Object.entries(values).map(([name, value]) => ({ key: name, name, value })),
      ...more,
    });
  const toggle = (id, enabled) =>
    api('POST', `/flags/${id}/toggle?environment_id=${environment}`, { enabled });
  const rule = { priority: 1, name: 'everybody', conditions: [], variation: 'on' };
  const search = await create(
    'fast-search',
    { on: true, off: false },
    { flag_type: 'boolean', default_variation: 'off', targeting_rules: [rule] },
  );
  await create(
    'headline',
    { first: 'First flush is here' },
    { flag_type: 'string', default_variation: 'first', client_side: true },
  );
  await toggle(search.id, true);
  const keyOf = async (kind) =>
    (await api('POST', `/environments/${environment}/api-keys`, { name: kind, kind })).key;
  return {
    keys: { relay: await keyOf('relay'), server: await keyOf('server'), client: await keyOf('client') },
    toggleSearch: (enabled) => toggle(search.id, enabled),
    countSearches: async () =>
      (await api('GET', `/flags/${search.id}/metrics?environment_id=${environment}`)).total,
  };
}
