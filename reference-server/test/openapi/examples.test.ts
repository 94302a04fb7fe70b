/** Sends the example body of every operation, as a reader of `/docs` would, with the ids of resources that exist. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BODIES } from '../../src/openapi/bodies.ts';
import { createTargets, type Targets } from '../endpoints/targets.ts';
import { booleanFlag, startServer, type TestServer } from '../server.ts';

interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly examples?: object }>> };
  readonly security?: readonly Record<string, unknown>[];
}

/** Examples that hold a secret or name a state that no example can know, and the code that says so. */
const REFUSED: Readonly<Record<string, string>> = {
  refresh: 'INVALID_REFRESH_TOKEN',
  confirmTotp: 'MFA_NOT_STARTED',
  verifyMfa: 'INVALID_MFA_TOKEN',
  resetPassword: 'INVALID_RESET_TOKEN',
  inspectInvitation: 'INVALID_INVITATION',
  acceptInvitation: 'INVALID_INVITATION',
  resetMemberMfa: 'MFA_NOT_ON',
};

interface Example {
  readonly value?: unknown;
  readonly $ref?: string;
}

let document: {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly examples: Record<string, Example> };
};
let operations: readonly Operation[];

beforeAll(async () => {
  const server = await startServer();
  document = (await server.app.inject('/openapi.json')).json();
  await server.close();
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  );
});

test('every body made by hand belongs to an operation', () => {
  const ids = new Set(operations.map(({ operationId }) => operationId));
  expect(Object.keys(BODIES).filter((id) => !ids.has(id))).toEqual([]);
});

test('no example of a body contains a word that only fills a place', () => {
  const bodies = operations.map((one) => [one.operationId, JSON.stringify(exampleOf(one))] as const);
  expect(bodies.filter(([, body]) => body?.includes('"text')).map(([id]) => id)).toEqual([]);
});

let server: TestServer;
let targets: Targets;
/** Ids of resources in the state that an operation needs. */
let prepared: Readonly<Record<string, Readonly<Record<string, string>>>>;

beforeAll(async () => {
  server = await startServer();
  targets = await createTargets(server);
  prepared = await prepare();
});
afterAll(() => server.close());

/** Sent for real, because later examples need what they make; of the others, those that can are dry runs. */
const REAL = ['register', 'createFlag'];

test('the server accepts the example of every body', { timeout: 60_000 }, async () => {
  const answers: Record<string, string> = {};
  const withBody = operations.filter(({ requestBody }) => requestBody !== undefined);
  // Every later login would be refused.
  const last = ({ operationId }: Operation) => Number(operationId === 'changePassword');
  for (const operation of [...withBody].sort((left, right) => last(left) - last(right))) {
    const answer = await send(operation);
    if (answer !== 'accepted') answers[operation.operationId] = answer;
  }
  expect(answers).toEqual(REFUSED);
});

async function prepare() {
  const api = server.as('admin').in(server.environments.staging);
  await api.flags.create(booleanFlag('dark-mode'));
  const draft = await api.flags.create(booleanFlag('draft', { draft: true }));
  const stale = await api.flags.create(booleanFlag('stale'));
  await api.flags.markStale(stale.id);
  const archived = await api.flags.create(booleanFlag('archived'));
  await api.flags.archive(archived.id);
  const { id: closed } = await api.unchecked.breakGlass.open(targets.samples['openBreakGlass']);
  await api.breakGlass.close(closed);
  return {
    activateFlag: { flag_id: draft.id },
    unmarkFlagStale: { flag_id: stale.id },
    restoreFlag: { flag_id: archived.id },
    reviewBreakGlass: { break_glass_id: closed },
  };
}

/** `accepted`, or the error that answers. */
async function send(operation: Operation): Promise<string> {
  const { operationId, parameters = [], method } = operation;
  const isDry = !REAL.includes(operationId) && parameters.some(({ name }) => name === 'dry_run');
  const response = await server.app.inject({
    method: method.toUpperCase() as 'POST',
    url: urlOf(operation, await idsFor(operationId), isDry),
    headers: await credentialsFor(operation),
    payload: withIds(exampleOf(operation)),
  });
  const { data, error } = response.payload === '' ? {} : response.json();
  if (error !== undefined) return error.details.fields ? response.payload : error.code;
  const refused = (isDry ? (data.plan as { gate: { allowed: boolean; code: string } }[]) : []).find(
    ({ gate }) => !gate.allowed,
  );
  return refused?.gate.code ?? 'accepted';
}

/** An import must be planned after all other changes. */
async function idsFor(operationId: string): Promise<Targets['ids']> {
  const ids = { ...targets.ids, ...prepared[operationId] };
  if (operationId !== 'applyImport') return ids;
  const { projectId } = server;
  const planned = await server.as('admin').unchecked.imports.create(projectId, BODIES['createImport']);
  return { ...ids, import_id: planned.id };
}

async function credentialsFor({ operationId, path, security }: Operation): Promise<Record<string, string>> {
  if (JSON.stringify(security ?? []).includes('apiKey')) return { 'x-api-key': targets.keyFor(path) };
  const isOwn = operationId === 'changePassword' || operationId === 'reauthenticate';
  const token = isOwn
    ? await loginAsAda()
    : operationId === 'reviewBreakGlass'
      ? await reviewer()
      : server.tokens.admin;
  return { authorization: `Bearer ${token}`, prefer: 'handling=strict' };
}

async function loginAsAda(): Promise<string> {
  const response = await server.app.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    payload: BODIES['login']!,
  });
  return response.json().data.access_token;
}

/** Nobody reviews a session of their own. */
async function reviewer(): Promise<string> {
  const { organizationId } = server;
  const { id } = await server.as('editor').auth.me();
  await server.as('admin').members.update(organizationId, id, { role: 'admin' });
  return server.tokens.editor;
}

function urlOf({ path, parameters = [] }: Operation, ids: Targets['ids'], isDry: boolean): string {
  const needed = parameters.filter((one) => one.in === 'query' && one.required === true);
  const query = new URLSearchParams(Object.fromEntries(needed.map(({ name }) => [name, ids[name] ?? ''])));
  if (isDry) query.set('dry_run', 'true');
  return `${path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name)}?${query}`;
}

function exampleOf({ requestBody }: Operation): unknown {
  const { examples = {} } = requestBody?.content['application/json'] ?? {};
  const [first] = Object.values(examples) as Example[];
  const name = first?.$ref?.split('/').at(-1);
  return (name === undefined ? first : document.components.examples[name])?.value;
}

/** The example with ids of resources that exist. */
function withIds(example: unknown): object {
  const { production, staging } = server.environments;
  const byPrefix = new Map(
    Object.values(targets.ids).flatMap((id) => (id?.includes('_') ? [[id.split('_')[0]!, id] as const] : [])),
  );
  const text = JSON.stringify(example)
    .replaceAll('"env_01KAGJ7Q8V3W5X6Y7Z8A9B0C1D"', `"${production}"`)
    .replaceAll('"env_01KAGJ7Q8V3W5X6Y7Z8A9B0C1E"', `"${staging}"`)
    .replace(/"([a-z]+)_01KAGJ[0-9A-Z]{20}"/g, (whole, prefix: string) =>
      JSON.stringify(byPrefix.get(prefix) ?? whole),
    );
  return JSON.parse(text);
}
