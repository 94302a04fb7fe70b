import type { Targets } from '../endpoints/targets.ts';
import type { Call, TestServer } from '../server.ts';

type Method = NonNullable<Call['method']>;

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Operation {
  readonly operationId: string;
  readonly method: Method;
  readonly path: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly { in: string; name: string }[];
  readonly requestBody?: { content: { 'application/json': { schema: Schema } } };
}

/** What came of it. */
export interface Outcome {
  readonly calls: number;
  /** Answers of 500 and above, and answers that the document does not describe. */
  readonly failures: readonly string[];
  /** Operations that answered nothing but refusals, sound requests included. */
  readonly neverServed: readonly string[];
}

export interface DriveOptions {
  readonly values: readonly unknown[];
  /** Operations whose headers are tried too; what reads the headers of a write is the same for all of them. */
  readonly headersOf: (operationId: string) => boolean;
}

/** It would end the session that the others need, or never end. */
const LEFT_OUT = ['logout', 'streamRuleset', 'streamRelay'];

/** Puts every value into every parameter and every place of every body of every operation. */
export async function drive(server: TestServer, targets: Targets, options: DriveOptions): Promise<Outcome> {
  let calls = 0;
  const failures: string[] = [];
  const served = new Set<string>();
  const operations = operationsOf(server).filter(({ operationId }) => !LEFT_OUT.includes(operationId));
  for (const operation of operations) {
    const credentials = credentialsOf(operation, server, targets);
    for (const call of requestsTo(operation, targets, options)) {
      calls++;
      try {
        const { status } = await server.call({
          ...call,
          ...credentials,
          headers: { ...credentials.headers, ...call.headers },
        });
        if (status < 400) served.add(operation.operationId);
        if (status < 500) continue;
        failures.push(`${call.method} ${call.url} ${JSON.stringify(call.body)} ${status}`);
      } catch (error) {
        // The test server throws when an answer is not documented.
        failures.push(`${call.method} ${call.url} ${JSON.stringify(call.body)}: ${(error as Error).message}`);
      }
    }
  }
  const neverServed = operations.map(({ operationId }) => operationId).filter((id) => !served.has(id));
  return { calls, failures, neverServed };
}

function operationsOf(server: TestServer): readonly Operation[] {
  const { paths } = server.app.swagger() as unknown as { paths: Record<string, Record<string, Operation>> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase() as Method,
      path: path.replace('/api/v1', ''),
    })),
  );
  // What removes things comes last, and is only tried.
  const isLate = ({ method }: Operation) => (method === 'DELETE' ? 1 : 0);
  return operations.sort((left, right) => isLate(left) - isLate(right));
}

function credentialsOf(
  { security = [] }: Operation,
  server: TestServer,
  { apiKey }: Targets,
): Pick<Call, 'token' | 'headers'> {
  if (security.some((scheme) => 'apiKey' in scheme)) return { headers: { 'x-api-key': apiKey } };
  return { token: server.tokens.admin };
}

/** A sound request first, then each place with each value. */
function* requestsTo(
  operation: Operation,
  { ids, samples }: Targets,
  options: DriveOptions,
): Generator<Call> {
  const { operationId, method, path, parameters = [], requestBody } = operation;
  const namesIn = (place: string) => parameters.filter((one) => one.in === place).map(({ name }) => name);
  const names = namesIn('query');
  const query: Record<string, string> = Object.fromEntries(
    names.filter((name) => ids[name] !== undefined).map((name) => [name, ids[name]!]),
  );
  if (names.includes('confirm_key'))
    query['confirm_key'] = path.startsWith('/projects') ? 'default' : 'staging';
  if (method === 'DELETE' && names.includes('dry_run')) query['dry_run'] = 'true';
  const schema = requestBody?.content['application/json'].schema;
  const sample = schema && { ...samples[operationId] };
  const url = urlOf(path, ids, query);
  yield { method, url, body: sample };
  let round = 0;
  for (const value of options.values) {
    round++;
    const text = typeof value === 'string' ? Buffer.from(value).toString() : JSON.stringify(value);
    for (const name of names) {
      // A removal that is not only tried would leave the others nothing.
      if (method === 'DELETE' && name === 'dry_run' && text === 'false') continue;
      yield { method, url: urlOf(path, ids, { ...query, [name]: text }), body: sample };
    }
    for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
      yield { method, url: urlOf(path, { ...ids, [name!]: text }, query), body: sample };
    }
    for (const name of options.headersOf(operationId) ? namesIn('header') : []) {
      yield { method, url, body: sample, headers: { [name]: headerText(text) } };
    }
    for (const [index, place] of (schema && sample ? placesOf(schema, sample) : []).entries()) {
      const fresh = 'key' in sample! ? { ...sample, key: `key-${round}-${index}` } : sample;
      yield { method, url, body: replaced(fresh, place, value) };
    }
  }
}

/** What can be in a header at all. */
function headerText(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, 2_000);
}

/** The places in a value where something else can be put. */
function places(value: unknown): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [[]];
  return [
    [],
    ...Object.entries(value).flatMap(([name, inner]) =>
      places(inner).map((path) => [Array.isArray(value) ? Number(name) : name, ...path]),
    ),
  ];
}

function replaced(value: unknown, [first, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (first === undefined) return by;
  const inner = replaced((value as Record<string | number, unknown>)[first], rest, by);
  if (Array.isArray(value)) return value.map((item, index) => (index === first ? inner : item));
  return { ...(value as object), [first]: inner };
}

/** Everywhere in the sample, and in fields of the schema that the sample lacks. */
function placesOf(schema: Schema, sample: object): (readonly (string | number)[])[] {
  const lacking = Object.keys(schema.properties ?? {}).filter((name) => !(name in sample));
  return [...places(sample), ...lacking.map((name) => [name])];
}

function urlOf(
  path: string,
  values: Readonly<Record<string, string | undefined>>,
  query: Record<string, string>,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? 'none'));
  return `${filled}?${new URLSearchParams(query)}`;
}
