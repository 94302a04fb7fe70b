/** Moves the repeated parts of the document into `components`: named schemas, headers and examples. */

type Json = Record<string, unknown>;
interface Media {
  schema?: Json;
  examples?: Json;
}
interface Answer {
  headers?: Json;
  content?: Record<string, Media>;
}
interface Operation {
  operationId?: string;
  requestBody?: { content?: Record<string, Media> };
  responses?: Record<string, Answer>;
}
export interface Document {
  paths?: Record<string, Record<string, Operation>>;
  components?: Record<string, Json> & { responses?: Record<string, Answer> };
}

/**
 * Returns the document with references in place of repeated parts. Names follow the operations: the answer of `getFlag`
 * is `Flag`, the body of `createFlag` is `CreateFlagBody`, and an item of a list of flags is `FlagListItem` if it
 * differs from `Flag`.
 */
export function shareComponents<Doc extends object>(given: Doc, schemas: Readonly<Json> = {}): Doc {
  const document = structuredClone(given) as Document;
  const ofPaths = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path));
  // Answers outside of operations are shared too.
  const operations = [...ofPaths, { responses: document.components?.responses ?? {} } as Operation];
  const names = nameSchemas(operations);
  const components: Record<string, Json> = {
    ...document.components,
    schemas: { ...schemas },
    headers: {},
    examples: {},
  };
  for (const [text, name] of names) {
    components['schemas']![name] = referToNamed(JSON.parse(text) as Json, names, text);
  }
  for (const { requestBody, responses } of operations) {
    for (const media of Object.values(requestBody?.content ?? {})) shareMedia(media, names, components);
    for (const answer of Object.values(responses ?? {})) {
      if (answer.headers !== undefined) answer.headers = share(answer.headers, 'headers', components);
      for (const media of Object.values(answer.content ?? {})) shareMedia(media, names, components);
    }
  }
  document.components = Object.fromEntries(
    Object.entries(components).filter(([, entries]) => Object.keys(entries).length > 0),
  );
  return document as Doc;
}

function shareMedia(
  media: Media,
  names: ReadonlyMap<string, string>,
  components: Record<string, Json>,
): void {
  if (media.schema !== undefined) media.schema = referToNamed(media.schema, names) as Json;
  if (media.examples !== undefined) media.examples = share(media.examples, 'examples', components);
}

/** Shares entries by name; an entry that differs from the first one with its name stays in place. */
function share(entries: Json, kind: 'headers' | 'examples', components: Record<string, Json>): Json {
  const shared = components[kind]!;
  return Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => {
      // Examples of success belong to one operation only.
      if (kind === 'examples' && !/^[A-Z][A-Z_0-9]+$/.test(name)) return [name, entry];
      shared[name] ??= entry;
      const isSame = JSON.stringify(shared[name]) === JSON.stringify(entry);
      return [name, isSame ? { $ref: `#/components/${kind}/${name}` } : entry];
    }),
  );
}

function nameSchemas(operations: readonly Operation[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const give = (schema: Json | undefined, ...wanted: readonly string[]): void => {
    if (schema?.['type'] !== 'object') return;
    const text = JSON.stringify(schema);
    const name = wanted.find((one) => !taken.has(one));
    if (names.has(text) || name === undefined) return;
    names.set(text, name);
    taken.add(name);
  };
  const uses = countAnswers(operations);
  const ofKind = (kind: string) => operations.filter(({ operationId = '' }) => operationId.startsWith(kind));
  for (const operation of ofKind('get')) give(answerData(operation), operation.operationId!.slice(3));
  for (const operation of ofKind('list')) {
    const noun = operation.operationId!.slice(4).replace(/ies$/, 'y').replace(/s$/, '');
    give(answerData(operation)?.['items'] as Json, noun, `${noun}ListItem`);
  }
  for (const operation of operations) {
    const { operationId = '', requestBody, responses = {} } = operation;
    const noun = operationId.charAt(0).toUpperCase() + operationId.slice(1);
    give(answerData(operation), `${noun}Answer`);
    give(requestBody?.content?.['application/json']?.schema, `${noun}Body`);
    for (const answer of Object.values(responses)) {
      const schema = answer.content?.['application/json']?.schema;
      for (const one of [schema, ...((schema?.['anyOf'] as Json[] | undefined) ?? [])]) {
        if (JSON.stringify(one)?.includes('"plan":{"type":"array"')) give(one, 'DryRunAnswer');
        give(one, ...errorName(one));
        if ((uses.get(JSON.stringify(one)) ?? 0) >= SHARED_FROM) give(one, ...errorsNames(one));
        give(warningOf(one), 'Warning');
      }
    }
  }
  return names;
}

/** A schema that fewer answers use stays in place, where a reader sees it at once. */
const SHARED_FROM = 10;

/** Number of answers with the same schema, by its JSON. */
function countAnswers(operations: readonly Operation[]): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  for (const { responses = {} } of operations) {
    for (const { content } of Object.values(responses)) {
      const text = JSON.stringify(content?.['application/json']?.schema);
      uses.set(text, (uses.get(text) ?? 0) + 1);
    }
  }
  return uses;
}

/** The schema of `data` in the success answer. */
function answerData({ responses = {} }: Operation): Json | undefined {
  const [, answer] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const schema = answer?.content?.['application/json']?.schema;
  const outer = ((schema?.['anyOf'] as Json[] | undefined) ?? [schema])[0];
  return (outer?.['properties'] as { data?: Json } | undefined)?.data;
}

/** The schema of one item of `warnings`. */
function warningOf(schema: Json | undefined): Json | undefined {
  return (schema?.['properties'] as { warnings?: { items?: Json } } | undefined)?.warnings?.items;
}

/** The name of an error schema with one code, such as `RateLimitExceededError`; empty for several codes. */
function errorName(schema: Json | undefined): readonly string[] {
  const [code, ...others] = codesOf(schema);
  if (code === undefined || others.length > 0) return [];
  return [`${pascalCase(code).replace(/Error$/, '')}Error`];
}

/**
 * The names to try, in order, for an error schema with several codes: `UnauthenticatedErrors`, then
 * `UnauthenticatedErrors2` and so on.
 */
function errorsNames(schema: Json | undefined): readonly string[] {
  const [code, ...others] = codesOf(schema);
  if (code === undefined || others.length === 0) return [];
  const name = `${pascalCase(code).replace(/Error$/, '')}Errors`;
  return [name, ...Array.from({ length: 9 }, (_, index) => `${name}${index + 2}`)];
}

function codesOf(schema: Json | undefined): readonly string[] {
  const properties = schema?.['properties'] as
    | { error?: { properties?: { code?: { enum?: string[] } } } }
    | undefined;
  return properties?.error?.properties?.code?.enum ?? [];
}

function pascalCase(code: string): string {
  return code
    .toLowerCase()
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/**
 * Replaces the outermost named schemas by references, except the schema `self`, whose own definition is being written.
 */
function referToNamed(value: unknown, names: ReadonlyMap<string, string>, self?: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => referToNamed(item, names));
  const text = JSON.stringify(value);
  const name = text === self ? undefined : names.get(text);
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, referToNamed(inner, names)]));
}
