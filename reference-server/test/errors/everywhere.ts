import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { RateLimiter } from '../../src/http/rate-limit.ts';
import { generateKey } from '../../src/publishing/key-format.ts';
import type { Call, RawAnswer } from '../api-call.ts';
import { createTargets, type Targets } from '../endpoints/targets.ts';
import { enter, type TestServer } from '../server.ts';

/** Tries faults that a request to any operation can have, on every operation. */

interface Schema {
  readonly type?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
}
export interface Operation {
  readonly operationId: string;
  readonly method: NonNullable<Call['method']>;
  /** Without the prefix `/api/v1`, with parameters in braces. */
  readonly path: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly description?: string;
  }[];
  readonly requestBody?: { content: Record<string, { schema: Schema }> };
  readonly responses: Record<string, { content?: Record<string, { schema?: object }> }>;
}

/** An operation and an error code: `operationId CODE`. */
export type Pair = string;

export function operationsOf(server: TestServer): readonly Operation[] {
  const { paths } = server.app.swagger() as unknown as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase() as Operation['method'],
      path: path.replace('/api/v1', ''),
    })),
  );
}

/** Finds the operation that a call reaches. */
export function operationFinder(server: TestServer): (method: string, url: string) => string | undefined {
  const paths = [...operationsOf(server)]
    // Like the router: a literal segment takes precedence over a parameter.
    .sort((left, right) => left.path.split('{').length - right.path.split('{').length)
    .map(({ path, method, operationId }) => ({
      ...{ method, operationId },
      pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`),
    }));
  return (method, url) => {
    const path = url.split('?', 1)[0]!;
    return paths.find((one) => one.method === method && one.pattern.test(path))?.operationId;
  };
}

/** All pairs in the document. */
export function documentedPairs(operations: readonly Operation[]): readonly Pair[] {
  return operations.flatMap(({ operationId, responses }) =>
    Object.values(responses).flatMap(({ content = {} }) => {
      const schema = Object.values(content)[0]?.schema as
        | { properties?: { error?: { properties?: { code?: { enum?: string[] } } } } }
        | undefined;
      return (schema?.properties?.error?.properties?.code?.enum ?? []).map(
        (code) => `${operationId} ${code}`,
      );
    }),
  );
}

/** All codes in an answer: its error, and the codes of the guards in the plan of a dry run. */
export function codesOf({ body }: RawAnswer): readonly string[] {
  const plan: unknown = body?.data?.plan;
  const changes = Array.isArray(plan) ? (plan as { gate?: { code: string | null } }[]) : [];
  const codes = [body?.error?.code, ...changes.map(({ gate }) => gate?.code)];
  return codes.filter((code) => typeof code === 'string');
}

/** A limiter that can be switched to refuse everything. */
export function switchable(limiter: RateLimiter, none: RateLimiter) {
  let current = limiter;
  return {
    limiter: {
      limits: limiter.limits,
      take: (...rest) => current.take(...rest),
      enforce: (...rest) => current.enforce(...rest),
      enforceExactly: (...rest) => current.enforceExactly(...rest),
      enforcePageEvaluation: (...rest) => current.enforcePageEvaluation(...rest),
      refund: (...rest) => current.refund(...rest),
    } satisfies RateLimiter,
    fill: (isFull: boolean): void => {
      current = isFull ? none : limiter;
    },
  };
}

const LONG_ID = 'x'.repeat(65);
/** Invalid bodies. Operations that take no body ignore the first, which is valid JSON, and refuse the others. */
const FAULTY_BODIES = ['[]', '{', `${'['.repeat(40)}${']'.repeat(40)}`];
const REASON = 'Checkout is down; INC-4711 needs this change.';

/** Tries all faults on all operations. Returns the pairs that occurred. */
export async function provokeEverywhere(
  server: TestServer,
  fill: (isFull: boolean) => void,
): Promise<ReadonlySet<Pair>> {
  const login = async (name: string) => {
    // The faults include wrong passwords, which delay the next login.
    server.advance(3_600_000);
    return (await enter(server, `${name}@example.com`)).accessToken;
  };
  const expired = await login('viewer');
  server.advance(25 * 3_600_000);
  const targets = await createTargets(server, server.withToken(await login('admin')));
  const operations = [...operationsOf(server)].sort((left, right) => orderOf(left) - orderOf(right));
  const seen = new Set<Pair>();
  const send = async (operation: Operation, call: Call): Promise<void> => {
    const answering = server.call(call);
    // An open stream answers only when it ends, and not with JSON.
    const isStream = /^stream/.test(operation.operationId);
    const answer = isStream
      ? await Promise.race([answering.catch(() => undefined), setTimeout(100)])
      : await answering;
    for (const code of answer === undefined ? [] : codesOf(answer))
      seen.add(`${operation.operationId} ${code}`);
  };
  /** Makes calls to every operation, as an admin who has just logged in. */
  const everywhere = async (make: (operation: Operation, valid: Call) => Iterable<Call>): Promise<void> => {
    const admin = await login('admin');
    for (const operation of operations) {
      for (const call of make(operation, validCall(operation, targets, admin))) await send(operation, call);
    }
  };
  const run = (statement: string) => sql.raw(statement).execute(server.db);
  const post = async (url: string, body: object) =>
    (await server.call({ method: 'POST', url, token: await login('admin'), body })).body.data;

  await everywhere((operation, valid) => faultyCalls(operation, valid, targets));
  await everywhere((_, valid) => [without(valid), withHeader(without(valid), 'x-api-key', 'sdk-dev-none')]);
  const { token: narrow } = await post('/auth/tokens', { name: 'n', scopes: ['code_references:write'] });
  for (const token of [expired, await login('viewer'), narrow, 'none']) {
    await everywhere((_, valid) => [tried({ ...without(valid), token })]);
  }

  const settings = await sql<{ settings_json: string }>`select settings_json from organizations`.execute(
    server.db,
  );
  const { settings_json } = settings.rows[0]!;
  const strict = JSON.stringify({ ...JSON.parse(settings_json), require_mfa: true });
  await sql`update organizations set settings_json = ${strict}`.execute(server.db);
  await everywhere((_, valid) => [tried(valid)]);
  await sql`update organizations set settings_json = ${settings_json}`.execute(server.db);

  const used = {
    key: 'used',
    method: 'GET',
    path: '/',
    body_hash: '',
    answer_json: 'null',
    created_at: '9999',
  };
  await server.db
    .insertInto('idempotency_keys')
    .values({ organization_id: server.organizationId, ...used })
    .execute();
  await everywhere(({ method }, valid) =>
    method === 'POST' ? [withHeader(valid, 'idempotency-key', 'used')] : [],
  );

  await run(`update organizations set status = 'suspended'`);
  await everywhere((_, valid) => [tried(valid)]);
  await run(`update organizations set status = 'active'`);

  await everywhere(function* (_, valid) {
    fill(true);
    yield valid;
    fill(false);
  });

  for (const table of ['sessions', 'users', 'api_keys', 'event_batches', 'invitations', 'password_resets']) {
    const admin = await login('admin');
    await run(`alter table ${table} rename to broken`);
    for (const operation of operations) {
      const valid = validCall(operation, targets, admin);
      await send(operation, tried(valid));
      await send(operation, withHeader(without(valid), 'x-api-key', generateKey('development')));
    }
    await run(`alter table broken rename to ${table}`);
  }

  // A dry run shows the verdicts of the guards and changes nothing.
  await run('update environments set require_comment = 1');
  await everywhere((_, valid) => [tried(valid)]);
  await run('update environments set require_comment = 0');
  await post('/freeze-windows', { name: 'all' });
  await everywhere((_, valid) => [tried(valid)]);
  await everywhere((_, valid) => [tried(withHeader(valid, 'x-break-glass', 'bgl_none'))]);
  await everywhere((_, valid) => [tried(withHeader(valid, 'x-break-glass-justification', 'short'))]);
  const admin = await login('admin');
  const scope = { environment_ids: [server.environments.production] };
  const body = { scope, justification: REASON };
  const opened = await server.call({ method: 'POST', url: '/break-glass', token: admin, body });
  const through = async (name: string, value: string): Promise<void> => {
    for (const operation of operations.filter((one) => orderOf(one) < 0)) {
      const valid = validCall(operation, targets, admin);
      await send(operation, tried(withHeader(valid, name, value)));
    }
  };
  await through('x-break-glass', opened.body.data.id);
  server.advance(6 * 60_000);
  await through('x-break-glass-justification', REASON);
  return seen;
}

/**
 * Sorts `logout` last, because it ends the session that the other operations need, and `reauthenticate` just before it.
 */
function orderOf({ operationId }: Operation): number {
  return ['reauthenticate', 'logout'].indexOf(operationId);
}

function withHeader(call: Call, name: string, value: string): Call {
  return { ...call, headers: { ...call.headers, [name]: value } };
}

/** The call without credentials. */
function without({ token: _, headers = {}, ...valid }: Call): Call {
  const { 'x-api-key': __, ...others } = headers;
  return { ...valid, headers: others };
}

/** Turns a write into a dry run, and leaves a read unchanged. */
export function tried(call: Call): Call {
  const isWrite = call.method !== 'GET';
  return isWrite ? { ...call, url: `${call.url}&dry_run=true` } : call;
}

/** A valid call of an operation, made from its target and its sample. */
export function validCall(operation: Operation, { ids, samples, keyFor }: Targets, token: string): Call {
  const { operationId, path, method, security = [], requestBody } = operation;
  const needsKey = security.some((scheme) => 'apiKey' in scheme);
  const body = requestBody && { ...samples[operationId] };
  return {
    method,
    url: urlOf(operation, ids),
    ...(needsKey ? { headers: { 'x-api-key': keyFor(path) } } : { token }),
    ...(body && { body }),
  };
}

function urlOf(operation: Operation, ids: Targets['ids']): string {
  const { path, parameters = [] } = operation;
  const query = parameters
    .filter((one) => one.in === 'query' && ids[one.name] !== undefined)
    .map(({ name }) => [name, ids[name]!] as [string, string]);
  if (parameters.some(({ name }) => name === 'confirm_key')) {
    query.push(['confirm_key', path.startsWith('/projects') ? 'default' : 'staging']);
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'none');
  return `${filled}?${new URLSearchParams(query)}`;
}

/** Calls with one fault each. */
function* faultyCalls(operation: Operation, valid: Call, { ids }: Targets): Generator<Call> {
  const { parameters = [], path, method, requestBody } = operation;
  const isWrite = method !== 'GET';
  const names = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
  const headers = (more: Record<string, string>): Call => ({
    ...valid,
    headers: { ...valid.headers, ...more },
  });
  yield tried({ ...headers({ prefer: 'handling=strict' }), url: `${valid.url}&surprise=1` });
  // A repeated parameter is read as a list.
  for (const name of names) yield { ...valid, url: `${valid.url}&${name}=${name}&${name}=${name}` };
  for (const name of [...path.matchAll(/\{(\w+)\}/g)].map(([, one]) => one!)) {
    for (const value of ['none', LONG_ID, '%E0%A4%A']) {
      yield {
        ...valid,
        url: urlOf(operation, { ...ids, [name]: value }).replace('%25E0%25A4%25A', '%E0%A4%A'),
      };
    }
  }
  for (const name of names.filter((one) => /_id$|^source$|^target$/.test(one))) {
    yield tried({ ...valid, url: urlOf(operation, { ...ids, [name]: 'none' }) });
  }
  if (isWrite) {
    for (const body of FAULTY_BODIES.slice(Number(requestBody === undefined))) yield { ...valid, body };
    yield {
      ...valid,
      body: JSON.stringify({
        x: 'x'.repeat(/imports$|code-references$/.test(path) ? 11_000_000 : 1_100_000),
      }),
    };
    yield { ...valid, ...headers({ 'content-type': 'text/xml' }), body: '<x/>' };
    yield tried(headers({ 'if-match': '"4711"' }));
    yield tried(headers({ 'idempotency-key': 'two words' }));
  }
  const schema = requestBody?.content['application/json']?.schema;
  for (const [name, field] of Object.entries(schema?.properties ?? {})) {
    const body = valid.body as Record<string, unknown>;
    if (field.maxLength !== undefined)
      yield tried({ ...valid, body: { ...body, [name]: 'x'.repeat(field.maxLength + 1) } });
    if (field.maxItems !== undefined) {
      const [item = 'x'] = (body[name] ?? []) as unknown[];
      yield tried({ ...valid, body: { ...body, [name]: Array(field.maxItems + 1).fill(item) } });
    }
    if (/_ids?$/.test(name)) {
      yield tried({ ...valid, body: { ...body, [name]: field.type === 'array' ? ['none'] : 'none' } });
    }
  }
}
