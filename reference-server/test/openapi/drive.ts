import type { Call } from '../api-call.ts';
import type { Targets } from '../endpoints/targets.ts';
import type { TestServer } from '../server.ts';

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

/** The results of `drive`. */
export interface Outcome {
  readonly calls: number;
  /** Requests answered with 500 or above, or in a way that the document does not describe. */
  readonly failures: readonly string[];
  /** Operations that refused every request, the valid one included. */
  readonly neverServed: readonly string[];
}

export interface DriveOptions {
  readonly values: readonly unknown[];
  /**
   * Whether to try the values in the headers of an operation too. A few operations suffice, because all writes share
   * the code that reads their headers.
   */
  readonly headersOf: (operationId: string) => boolean;
}

/** Operations that would end the session that the other calls use, or whose answer never ends. */
const LEFT_OUT = ['logout', 'streamRuleset', 'streamRelay'];

/** Sends every value in every parameter and every part of the body, to every operation. */
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
        // The test server throws when an answer does not match the document.
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
  // Deletions come last, and are sent as dry runs.
  const isLate = ({ method }: Operation) => (method === 'DELETE' ? 1 : 0);
  return operations.sort((left, right) => isLate(left) - isLate(right));
}

function credentialsOf(
  { path, security = [] }: Operation,
  server: TestServer,
  { keyFor }: Targets,
): Pick<Call, 'token' | 'headers'> {
  if (security.some((scheme) => 'apiKey' in scheme)) return { headers: { 'x-api-key': keyFor(path) } };
  return { token: server.tokens.admin };
}

/** A valid request first, then one for each value in each place. */
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
      // A deletion that is not a dry run would remove what later requests need.
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

/** Replaces characters that a header cannot contain, and cuts the text to 2,000 characters. */
function headerText(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, 2_000);
}

/** The paths of a value and of everything inside it. */
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

/** The paths of the sample, and of fields that only the schema has. */
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
