import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RouteEntry } from '../src/control-plane/access/route-access.ts';
import type { RawAnswer } from './api-call.ts';
import { ENDPOINTS } from './endpoints/rows.ts';
import { createTargets, type Targets } from './endpoints/targets.ts';
import { booleanFlag, enter, type FlagBody, startServer, type TestServer } from './server.ts';

/** Conventions of all routes, tested on every route: dry runs, repeated requests, revisions and strict handling. */

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
/** Operations by their id. */
let operations: ReadonlyMap<string, Operation>;
let routes: ReadonlyMap<string, RouteEntry>;
/** Parameter values by operation id, for operations that cannot use the common targets. */
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

/** Creates resources in the states that some operations require. Returns parameter values by operation id. */
async function prepare() {
  const { projectId, organizationId, environments } = server;
  const api = server.as('admin').in(environments.staging);
  const { flags } = api;
  const flag = async (key: string, more: Partial<FlagBody> = {}): Promise<string> =>
    (await flags.create(booleanFlag(key, more))).id;
  const archived = async (key: string) => {
    const id = await flag(key);
    await flags.archive(id);
    return id;
  };
  await flags.delete(await archived('gone'), { confirm_key: 'gone' });
  const stale = await flag('stale');
  await flags.markStale(stale);
  const project = await api.projects.create({ key: 'shelved', name: 'S' });
  await api.projects.archive(project.id, { confirm_key: 'shelved' });
  const session = await api.breakGlass.open({
    scope: { environment_ids: [environments.staging] },
    justification: 'a reason that is long enough',
  });
  await api.breakGlass.close(session.id);
  const other = await enter(server, 'reviewer@example.com');
  await api.members.update(organizationId, other.id, { role: 'admin' });
  reviewer = other.accessToken;
  await enter(server, 'admin@example.com');
  const [login] = await api.sessions.list();
  await server.db
    .insertInto('webhook_messages')
    .values({
      organization_id: organizationId,
      webhook_id: targets.ids['webhook_id']!,
      id: 'msg_kept',
      type: 'ping',
      body: '{}',
      status: 'failed',
      attempts: 1,
      next_attempt_at: null,
      once: 1,
      created_at: project.created_at,
    })
    .execute();
  await api.members.setProjectRole(projectId, targets.ids['user_id']!, { role: 'editor' });
  const planned = await api.scheduledChanges.create(stale, {
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
    reviewBreakGlass: { break_glass_id: session.id },
    redeliverWebhookMessage: { message_id: 'msg_kept' },
    revokeSession: { session_id: login!.id },
    resetMemberMfa: { user_id: await memberWithFactor() },
    archiveProject: { confirm_key: 'default' },
    deleteEnvironment: { confirm_key: 'staging' },
    applyImport: await plannedImport(),
    getFreezeCalendar: { from: '2026-11-20T00:00:00Z', to: '2026-12-20T00:00:00Z' },
  };
}

async function memberWithFactor(): Promise<string> {
  const { id } = await enter(server, 'factored@example.com');
  const at = '2026-11-20T10:00:00.000Z';
  const factor = { user_id: id, secret_sealed: 'x', created_at: at, confirmed_at: at, last_step: 0 };
  await server.db.insertInto('totp_factors').values(factor).execute();
  return id;
}

/** Plans an import. The plan is valid until the project changes. */
async function plannedImport(): Promise<{ import_id: string }> {
  const { imports } = server.as('admin').unchecked;
  return { import_id: (await imports.create(server.projectId, targets.samples['createImport'])).id };
}

interface CallOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields added to the sample. */
  readonly more?: object;
}

/** Calls an operation as an admin, with its valid sample and its parameter values. */
function call(
  operationId: string,
  { query = {}, headers = {}, more = {} }: CallOptions = {},
): Promise<RawAnswer> {
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

/** A valid body. The resource that it creates has a unique key. */
function sampleOf(operationId: string): object {
  if (operationId === 'changeFlags') {
    const { environment_id, flag_id } = targets.ids;
    return { action: 'mark_stale', environment_id, flag_ids: [flag_id] };
  }
  const sample = targets.samples[operationId] ?? {};
  const isNew = /^(create|clone)/.test(operationId) && 'key' in sample;
  return isNew ? { ...sample, key: `by-${operationId.toLowerCase()}` } : sample;
}

const namesOf = (matches: (route: RouteEntry, operation: Operation) => boolean): string[] =>
  [...routes].filter(([name, route]) => matches(route, operations.get(name)!)).map(([name]) => name);
const writes = (): string[] => namesOf(({ writes: isWrite }) => isWrite);

/** Counts the rows that changes leave behind. */
async function countTraces(): Promise<readonly number[]> {
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

test('plans every write in a dry run, and stores nothing', async () => {
  const before = await countTraces();
  const refused: unknown[] = [];
  for (const name of writes()) {
    const { status, body } = await call(name, { query: { dry_run: 'true' } });
    if (!(body?.data?.plan?.length > 0)) refused.push([name, status, body]);
  }
  expect(refused).toEqual([]);
  expect(await countTraces()).toEqual(before);
  expect(writes().length).toBeGreaterThan(60);
});

test('checks If-Match on every change of a resource with a revision', async () => {
  const accepted: string[] = [];
  for (const name of writes().filter((one) => !/^(create|clone|upsert|open)/.test(one))) {
    const answer = await call(name, { query: { dry_run: 'true' }, headers: { 'if-match': '"4711"' } });
    if (answer.status === 200) accepted.push(name);
    else expect([name, answer.body.error.code]).toEqual([name, 'PRECONDITION_FAILED']);
    if (answer.status === 412) {
      const { current_revision, diff, diff_basis } = answer.body.error.details;
      expect([name, answer.headers.etag]).toEqual([name, `"${current_revision}"`]);
      expect([name, typeof diff, diff_basis]).toEqual([name, 'object', 'request']);
    }
  }
  const expected = Object.entries(ENDPOINTS).filter(([, { revision }]) => revision === false);
  expect(accepted.sort()).toEqual(expected.map(([name]) => name).sort());
});

test('documents meta, page and per_page for every list', () => {
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

test('reads write nothing, except exports of projects', async () => {
  const traced: string[] = [];
  for (const name of namesOf(({ method }) => method === 'GET')) {
    if (routes.get(name)!.access === 'apiKey') continue;
    const before = await countTraces();
    await call(name);
    if (JSON.stringify(await countTraces()) !== JSON.stringify(before)) traced.push(name);
  }
  expect(traced).toEqual(['exportProject']);
});

test('sends the revision of a resource as its etag', async () => {
  const seen: string[] = [];
  for (const name of namesOf(({ method }) => method === 'GET')) {
    if (routes.get(name)!.access === 'apiKey') continue;
    if (!routes.get(name)!.url.startsWith('/api/v1/')) continue;
    const { body, headers } = await call(name);
    if (typeof body?.data?.revision !== 'number' || name.includes('FlagRevision')) continue;
    expect([name, headers.etag]).toEqual([name, `"${body.data.revision}"`]);
    seen.push(name);
  }
  expect(seen.length).toBeGreaterThanOrEqual(10);
});

describe('unknown query parameters', () => {
  const all = () =>
    namesOf(
      ({ url, access }) => url.startsWith('/api/v1/') && access !== 'public' && access !== 'apiKey',
    ).filter((name) => name !== 'logout' && name !== 'revokeOtherSessions');

  test('are ignored and listed in a header', async () => {
    expect(all().length).toBeGreaterThan(120);
    let seen = 0;
    for (const name of all()) {
      const dryRun = writes().includes(name) && { dry_run: 'true' };
      const { status, headers } = await call(name, { query: { ...dryRun, surprise: '1' } });
      if (status >= 300) continue;
      expect([name, headers['x-flagsvc-ignored-parameters']]).toEqual([name, 'surprise']);
      seen += 1;
    }
    expect(seen).toBeGreaterThan(100);
  });

  test('are refused with Prefer: handling=strict', async () => {
    for (const name of all()) {
      const options = { query: { surprise: '1' }, headers: { prefer: 'handling=strict' } };
      const { status, body } = await call(name, options);
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

describe('unknown body fields', () => {
  const withBody = () =>
    namesOf(({ url }, { requestBody }) => requestBody !== undefined && url.startsWith('/api/v1/')).filter(
      // Every name is known in preferences.
      (name) =>
        ![
          'evaluate',
          'sendEvents',
          'describeRelayKeys',
          'refresh',
          'register',
          'login',
          'putPreferences',
        ].includes(name),
    );

  test('are ignored and listed in a header', async () => {
    for (const name of withBody().filter((one) => writes().includes(one))) {
      const { headers } = await call(name, { query: { dry_run: 'true' }, more: { surprise: 1 } });
      expect([name, headers['x-flagsvc-ignored-fields']]).toEqual([
        name,
        expect.stringMatching(/(^|, )surprise$/),
      ]);
    }
  });

  test('are refused with Prefer: handling=strict', async () => {
    for (const name of withBody()) {
      const options = { more: { surprise: 1 }, headers: { prefer: 'handling=strict' } };
      const { status, body } = await call(name, options);
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

/** Fields with secrets. They are not stored, so the answer to a repeated request lacks them. */
const SECRETS = ['key', 'token', 'secret', 'accept_url'];

test('with an Idempotency-Key, executes a repeated POST once, repeats the first answer, and refuses the key for other requests', async () => {
  const posts = writes().filter((name) => routes.get(name)!.method === 'POST');
  // These operations use up resources that the others need, so they come last.
  const isLate = (name: string) => Number(/^(end|close|execute|replay|apply)/.test(name));
  for (const name of posts.sort((left, right) => isLate(left) - isLate(right))) {
    if (name === 'applyImport') own[name] = await plannedImport();
    const wait = name === 'applyImport' ? { prefer: 'wait=10' } : {};
    const headers = { 'idempotency-key': `once-${name}`, ...wait };
    const first = await call(name, { headers });
    expect([name, first.status, first.body?.error]).toEqual([name, first.status, undefined]);
    const before = await countTraces();
    const again = await call(name, { headers });
    const shown = { ...first.body?.data };
    for (const secret of SECRETS) if (!(secret in (again.body?.data ?? {}))) delete shown[secret];
    // An import continues after its first answer, so the second one may show a later state.
    if (name === 'applyImport') Object.assign(shown, again.body.data, { id: first.body.data.id });
    expect([name, again.status, { ...again.body?.data }]).toEqual([name, first.status, shown]);
    expect([name, await countTraces()]).toEqual([name, before]);
    const other = await call(name, { headers, query: { another: 'request' } });
    expect([name, other.body?.error?.code]).toEqual([name, 'IDEMPOTENCY_KEY_REUSED']);
  }
  expect(posts.length).toBeGreaterThan(35);
}, 120_000);

test('pages unbounded lists by cursors, without gaps', async () => {
  const withCursor = namesOf((_, { parameters = [] }) => parameters.some(({ name }) => name === 'cursor'));
  expect(withCursor.sort()).toEqual(['listAuditLog', 'listProjectFlags', 'listWebhookDeliveries']);
  const seen: string[] = [];
  let cursor: string | null | undefined;
  do {
    const { body } = await server.as('admin').audit.list({ per_page: 50, cursor: cursor ?? undefined })
      .answer;
    seen.push(...body.data.map(({ id }) => id));
    cursor = body.meta.next_cursor;
  } while (cursor !== null);
  const kept = await server.db.selectFrom('audit_entries').select('id').orderBy('id', 'desc').execute();
  expect(seen).toEqual(kept.map(({ id }) => id));
});
