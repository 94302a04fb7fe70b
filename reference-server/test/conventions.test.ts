import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RouteEntry } from '../src/control-plane/access/route-access.ts';
import { ENDPOINTS } from './endpoints/rows.ts';
import { createTargets, type Targets } from './endpoints/targets.ts';
import { type Answer, booleanFlag, enter, startServer, type TestServer } from './server.ts';

/** What holds for every route, asked of every route of the table: dry runs, repeated requests, revisions, strictness. */

interface Parameter {
  readonly in: string;
  readonly name: string;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: object;
  readonly responses: { readonly '200'?: { readonly content?: { readonly 'application/json'?: Body } } };
}
interface Body {
  readonly schema: { readonly properties?: Record<string, { readonly type?: string }> };
}

let server: TestServer;
let targets: Targets;
/** By operation id. */
let operations: ReadonlyMap<string, Operation>;
let routes: ReadonlyMap<string, RouteEntry>;
/** What an operation speaks of when the common target is in no state for it. */
let own: Record<string, Readonly<Record<string, string>>>;
let reviewer: string;

beforeAll(async () => {
  server = await startServer();
  targets = await createTargets(server);
  own = await prepare();
  const { paths } = server.app.swagger() as unknown as { paths: Record<string, Record<string, Operation>> };
  const all = Object.values(paths).flatMap((path) => Object.values(path));
  operations = new Map(all.map((operation) => [operation.operationId, operation]));
  const table = server.app.routeTable.filter(({ operationId }) => operationId !== undefined);
  routes = new Map(table.map((route) => [route.operationId!, route]));
});
afterAll(() => server.close());

/** One of everything that has to be in a state of its own. */
async function prepare() {
  const { projectId, environments, tokens } = server;
  const query = `environment_id=${environments.staging}`;
  const made = async (method: string, url: string, body?: object) => {
    const answer = await server.call({ method: method as 'POST', url, token: tokens.admin, body });
    expect([url, answer.body?.error]).toEqual([url, undefined]);
    return answer.body?.data;
  };
  const flag = async (key: string, more = {}): Promise<string> =>
    (await made('POST', `/flags?${query}`, booleanFlag(key, more))).id;
  const archived = async (key: string) => {
    const id = await flag(key);
    await made('DELETE', `/flags/${id}?${query}`);
    return id;
  };
  const gone = await archived('gone');
  await made('DELETE', `/flags/${gone}/permanent?confirm_key=gone`);
  const stale = await flag('stale');
  await made('POST', `/flags/${stale}/mark-stale?${query}`, {});
  const project = await made('POST', '/projects', { key: 'shelved', name: 'S' });
  await made('DELETE', `/projects/${project.id}?confirm_key=shelved`);
  const glass = await made('POST', '/break-glass', {
    scope: { environment_ids: [environments.staging] },
    justification: 'a reason that is long enough',
  });
  await made('POST', `/break-glass/${glass.id}/close`);
  const other = await enter(server, 'reviewer@example.com');
  await made('PATCH', `/organizations/${server.organizationId}/members/${other.id}`, { role: 'admin' });
  reviewer = other.accessToken;
  await enter(server, 'admin@example.com');
  const sessions = await made('GET', '/auth/sessions');
  const { created_at } = project;
  await server.db
    .insertInto('webhook_messages')
    .values({
      organization_id: server.organizationId,
      webhook_id: targets.ids['webhook_id']!,
      id: 'msg_kept',
      type: 'ping',
      body: '{}',
      status: 'failed',
      attempts: 1,
      next_attempt_at: null,
      once: 1,
      created_at,
    })
    .execute();
  await made('PUT', `/projects/${projectId}/members/${targets.ids['user_id']}`, { role: 'editor' });
  const planned = await made('POST', `/flags/${stale}/scheduled-changes`, {
    environment_id: environments.staging,
    execute_at: '2027-01-01T00:00:00Z',
    changes: [{ op: 'add_tag', tag: 'x' }],
  });
  return {
    executeScheduledChange: { scheduled_change_id: planned.id },
    activateFlag: { flag_id: await flag('draft', { draft: true }) },
    restoreFlag: { flag_id: await archived('shelved') },
    deleteFlag: { flag_id: await archived('doomed'), confirm_key: 'doomed' },
    markFlagStale: { flag_id: await flag('in-use') },
    unmarkFlagStale: { flag_id: stale },
    releaseReservedKey: { key: 'gone' },
    restoreProject: { project_id: project.id },
    reviewBreakGlass: { break_glass_id: glass.id },
    redeliverWebhookMessage: { message_id: 'msg_kept' },
    revokeSession: { session_id: sessions[0].id },
    resetMemberMfa: { user_id: await memberWithFactor() },
    archiveProject: { confirm_key: 'default' },
    deleteEnvironment: { confirm_key: 'staging' },
    applyImport: await plannedImport(),
  };
}

async function memberWithFactor(): Promise<string> {
  const { id } = await enter(server, 'factored@example.com');
  const at = '2026-11-20T10:00:00.000Z';
  const factor = { user_id: id, secret_sealed: 'x', created_at: at, confirmed_at: at, last_step: 0 };
  await server.db.insertInto('totp_factors').values(factor).execute();
  return id;
}

/** An import whose plan holds as long as nothing else changes the project. */
async function plannedImport(): Promise<{ import_id: string }> {
  const url = `/projects/${server.projectId}/imports`;
  const body = targets.samples['createImport'];
  const { data } = (await server.call({ method: 'POST', url, token: server.tokens.admin, body })).body;
  return { import_id: data.id };
}

interface Asked {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Beside the sample. */
  readonly more?: object;
}

/** Asks an operation with its sound sample, or with what it needs of its own. */
function ask(operationId: string, { query = {}, headers = {}, more = {} }: Asked = {}): Promise<Answer> {
  const { method, url } = routes.get(operationId)!;
  const { parameters = [], requestBody } = operations.get(operationId)!;
  const values = { ...targets.ids, ...own[operationId] };
  const known = parameters.filter((one) => one.in === 'query' && values[one.name] !== undefined);
  const all = { ...Object.fromEntries(known.map(({ name }) => [name, values[name]!])), ...query };
  const path = url.slice('/api/v1'.length).replace(/:(\w+)/g, (_, name: string) => values[name]!);
  return server.call({
    method: method as 'POST',
    url: `${path}?${new URLSearchParams(all)}`,
    token: operationId === 'reviewBreakGlass' ? reviewer : server.tokens.admin,
    headers,
    ...(requestBody && { body: { ...sampleOf(operationId), ...more } }),
  });
}

/** A sound body; what it makes has a key that no other operation makes. */
function sampleOf(operationId: string): object {
  if (operationId === 'changeFlags') {
    const { environment_id, flag_id } = targets.ids;
    return { action: 'mark_stale', environment_id, flag_ids: [flag_id] };
  }
  const sample = targets.samples[operationId] ?? {};
  const isNew = /^(create|clone)/.test(operationId) && 'key' in sample;
  return isNew ? { ...sample, key: `by-${operationId.toLowerCase()}` } : sample;
}

const namesOf = (isMeant: (route: RouteEntry, operation: Operation) => boolean): string[] =>
  [...routes].filter(([name, route]) => isMeant(route, operations.get(name)!)).map(([name]) => name);
const writes = (): string[] => namesOf(({ writes: isWrite }) => isWrite);

/** Everything that a change leaves behind. */
async function traces(): Promise<readonly number[]> {
  const tables = ['audit_entries', 'outbox', 'flag_revisions', 'idempotency_keys'] as const;
  const counts = tables.map(async (table) => {
    const { total } = await server.db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    return total;
  });
  return Promise.all(counts);
}

test('tries every write, and leaves nothing behind', async () => {
  const before = await traces();
  const refused: unknown[] = [];
  for (const name of writes()) {
    const { status, body } = await ask(name, { query: { dry_run: 'true' } });
    if (!(body?.data?.plan?.length > 0)) refused.push([name, status, body]);
  }
  expect(refused).toEqual([]);
  expect(await traces()).toEqual(before);
  expect(writes().length).toBeGreaterThan(60);
});

test('holds every change of something that has a revision against If-Match', async () => {
  const letThrough: string[] = [];
  for (const name of writes().filter((one) => !/^(create|clone|upsert|open)/.test(one))) {
    const answer = await ask(name, { query: { dry_run: 'true' }, headers: { 'if-match': '"4711"' } });
    if (answer.status === 200) letThrough.push(name);
    else expect([name, answer.body.error.code]).toEqual([name, 'PRECONDITION_FAILED']);
    if (answer.status === 412) {
      const { current_revision, diff, diff_basis } = answer.body.error.details;
      expect([name, answer.headers.etag]).toEqual([name, `"${current_revision}"`]);
      expect([name, typeof diff, diff_basis]).toEqual([name, 'object', 'request']);
    }
  }
  const expected = Object.entries(ENDPOINTS).filter(([, { revision }]) => revision === false);
  expect(letThrough.sort()).toEqual(expected.map(([name]) => name).sort());
});

test('says of every list how long it is, and takes a page', () => {
  const lists = [...operations.values()].filter(({ responses }) => {
    const { properties } = responses['200']?.content?.['application/json']?.schema ?? {};
    return properties?.['data']?.type === 'array';
  });
  const reading = lists.filter(({ operationId }) => routes.get(operationId)?.method === 'GET');
  expect(reading.length).toBeGreaterThan(25);
  for (const { operationId, parameters = [], responses } of reading) {
    const { properties } = responses['200']!.content!['application/json']!.schema;
    const names = parameters.map(({ name }) => name);
    expect([operationId, properties?.['meta']?.type]).toEqual([operationId, 'object']);
    expect(names).toEqual(expect.arrayContaining(['page', 'per_page']));
  }
});

test('leaves no trace of what is read, but of whole projects', async () => {
  const traced: string[] = [];
  for (const name of namesOf(({ method }) => method === 'GET')) {
    if (routes.get(name)!.access === 'apiKey') continue;
    const before = await traces();
    await ask(name);
    if (JSON.stringify(await traces()) !== JSON.stringify(before)) traced.push(name);
  }
  expect(traced).toEqual(['exportProject']);
});

test('sends the revision of what it reads as its entity tag', async () => {
  const seen: string[] = [];
  for (const name of namesOf(({ method }) => method === 'GET')) {
    if (routes.get(name)!.access === 'apiKey') continue;
    if (!routes.get(name)!.url.startsWith('/api/v1/')) continue;
    const { body, headers } = await ask(name);
    if (typeof body?.data?.revision !== 'number' || name.includes('FlagRevision')) continue;
    expect([name, headers.etag]).toEqual([name, `"${body.data.revision}"`]);
    seen.push(name);
  }
  expect(seen.length).toBeGreaterThanOrEqual(10);
});

describe('parameters that a route does not know', () => {
  const all = () =>
    namesOf(
      ({ url, access }) => url.startsWith('/api/v1/') && access !== 'public' && access !== 'apiKey',
    ).filter((name) => name !== 'logout' && name !== 'revokeOtherSessions');

  test('are named in a header where they are ignored', async () => {
    expect(all().length).toBeGreaterThan(120);
    let seen = 0;
    for (const name of all()) {
      const dryRun = writes().includes(name) && { dry_run: 'true' };
      const { status, headers } = await ask(name, { query: { ...dryRun, surprise: '1' } });
      if (status >= 300) continue;
      expect([name, headers['x-flagsvc-ignored-parameters']]).toEqual([name, 'surprise']);
      seen += 1;
    }
    expect(seen).toBeGreaterThan(100);
  });

  test('are refused where strictness is asked for', async () => {
    for (const name of all()) {
      const asked = { query: { surprise: '1' }, headers: { prefer: 'handling=strict' } };
      const { status, body } = await ask(name, asked);
      expect([name, status, body?.error?.details?.fields]).toEqual([
        name,
        400,
        expect.arrayContaining([
          expect.objectContaining({ field: 'surprise', location: 'query', code: 'unknown' }),
        ]),
      ]);
    }
  });
});

describe('fields that a route does not know', () => {
  const withBody = () =>
    namesOf(({ url }, { requestBody }) => requestBody !== undefined && url.startsWith('/api/v1/')).filter(
      (name) => !['evaluate', 'sendEvents', 'refresh', 'register', 'login'].includes(name),
    );

  test('are named in a header where they are ignored', async () => {
    for (const name of withBody().filter((one) => writes().includes(one))) {
      const { headers } = await ask(name, { query: { dry_run: 'true' }, more: { surprise: 1 } });
      expect([name, headers['x-flagsvc-ignored-fields']]).toEqual([
        name,
        expect.stringMatching(/(^|, )surprise$/),
      ]);
    }
  });

  test('are refused where strictness is asked for', async () => {
    for (const name of withBody()) {
      const asked = { more: { surprise: 1 }, headers: { prefer: 'handling=strict' } };
      const { status, body } = await ask(name, asked);
      expect([name, status, body?.error?.details?.fields]).toEqual([
        name,
        400,
        expect.arrayContaining([
          expect.objectContaining({ field: 'surprise', location: 'body', code: 'unknown' }),
        ]),
      ]);
    }
  });
});

/** Answers that a repetition gets without the secret, which is kept nowhere. */
const SECRETS = ['key', 'token', 'secret', 'accept_url'];

test('answers a repeated POST as the first time and does it once, and refuses its key to another', async () => {
  const posts = writes().filter((name) => routes.get(name)!.method === 'POST');
  // What the others speak of is there until the end.
  const isLate = (name: string) => Number(/^(end|close|execute|replay|apply)/.test(name));
  for (const name of posts.sort((left, right) => isLate(left) - isLate(right))) {
    if (name === 'applyImport') own[name] = await plannedImport();
    const wait = name === 'applyImport' ? { prefer: 'wait=10' } : {};
    const headers = { 'idempotency-key': `once-${name}`, ...wait };
    const first = await ask(name, { headers });
    expect([name, first.status, first.body?.error]).toEqual([name, first.status, undefined]);
    const before = await traces();
    const again = await ask(name, { headers });
    const shown = { ...first.body?.data };
    for (const secret of SECRETS) if (!(secret in (again.body?.data ?? {}))) delete shown[secret];
    // An import goes on after its first answer.
    if (name === 'applyImport') Object.assign(shown, again.body.data, { id: first.body.data.id });
    expect([name, again.status, { ...again.body?.data }]).toEqual([name, first.status, shown]);
    expect([name, await traces()]).toEqual([name, before]);
    const other = await ask(name, { headers, query: { another: 'request' } });
    expect([name, other.body?.error?.code]).toEqual([name, 'IDEMPOTENCY_KEY_REUSED']);
  }
  expect(posts.length).toBeGreaterThan(35);
}, 120_000);

test('goes through lists that grow without end by their cursors', async () => {
  const withCursor = namesOf((_, { parameters = [] }) => parameters.some(({ name }) => name === 'cursor'));
  expect(withCursor.sort()).toEqual(['listAuditLog', 'listWebhookDeliveries']);
  const seen: string[] = [];
  let cursor = '';
  do {
    const query: Record<string, string> = { per_page: '50', ...(cursor && { cursor }) };
    const { body } = await server.call({
      url: `/audit-log?${new URLSearchParams(query)}`,
      token: server.tokens.admin,
    });
    seen.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.meta.next_cursor;
  } while (cursor !== null);
  const kept = await server.db.selectFrom('audit_entries').select('id').orderBy('id', 'desc').execute();
  expect(seen).toEqual(kept.map(({ id }) => id));
});
