import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { type FieldError, invalid } from './errors.ts';
import { explainIssues } from './explain-issues.ts';
import { findOversize, type SizedSchema } from './size-limits.ts';

interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}

/**
 * Validates without coercion: `{"enabled": 0}` is an error, not false. Only query parameters are parsed from text, if
 * the schema expects an integer or a boolean and the whole text is one.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  // Compiled on the first request: compiling all 200 would take a tenth of the start-up time.
  let validator: ReturnType<typeof Compile> | undefined;
  return (input: unknown): { value: unknown } | { error: ReturnType<typeof explainIssues> } => {
    const isQuery = httpPart === 'querystring';
    const value = isQuery ? readQuery(schema as JsonSchema, input) : input;
    const repeated = isQuery ? repeatedParameters(schema as JsonSchema, input as object) : [];
    if (repeated.length > 0) return { error: repeated };
    const oversize = httpPart === 'body' ? findOversize(schema as SizedSchema, value) : undefined;
    if (oversize !== undefined) return { error: explainIssues(schema, [oversize]) };
    validator ??= Compile(schema);
    return validator.Check(value) ? { value } : { error: explainIssues(schema, validator.Errors(value)) };
  };
};

function readQuery(schema: JsonSchema, input: unknown): unknown {
  return Object.fromEntries(
    Object.entries(input as Record<string, unknown>).map(([name, value]) => [
      name,
      typeof value === 'string' ? readScalar(schema.properties?.[name]?.type, value) : value,
    ]),
  );
}

function readScalar(type: string | undefined, text: string): unknown {
  if (type === 'integer' && /^(0|-?[1-9]\d{0,14})$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** A parameter that is sent twice arrives as an array, which no parameter accepts. */
function repeatedParameters(schema: JsonSchema, query: object): ReturnType<typeof explainIssues> {
  return Object.entries(query)
    .filter(([name, value]) => Array.isArray(value) && Object.hasOwn(schema.properties ?? {}, name))
    .map(([name]) => ({
      keyword: 'type',
      schemaPath: '',
      instancePath: `/${name}`,
      params: {},
      message: 'must be sent once; separate the items of a list by commas',
    }));
}

const NAMED_FIELDS = 20;

/**
 * Names the unknown fields of a body in `X-FlagSvc-Ignored-Fields` and unknown query parameters in
 * `X-FlagSvc-Ignored-Parameters`. With `Prefer: handling=strict` (RFC 7240) they are an error instead.
 */
export function registerIgnoredFields(app: FastifyInstance): void {
  app.addHook('preHandler', async (request: FastifyRequest, reply: FastifyReply) => {
    const { schema } = request.routeOptions;
    if (schema === undefined) return;
    const parameters = unknownParameters(
      schema.querystring as JsonSchema | undefined,
      request.query as object,
    );
    nameIgnored(request, reply, parameters);
  });
}

/**
 * Names the unknown fields of the body, and the given unknown parameters. Throws VALIDATION_ERROR in strict handling.
 */
export function nameIgnored(
  request: FastifyRequest,
  reply: FastifyReply,
  parameters: readonly string[] = [],
): void {
  const { body } = request.routeOptions.schema ?? {};
  const fields: string[] = [];
  if (body !== undefined) {
    for (const field of unknownFields(body as JsonSchema, request.body, '')) {
      fields.push(field);
      if (fields.length === NAMED_FIELDS) break;
    }
  }
  if (fields.length === 0 && parameters.length === 0) return;
  if (/(^|[\s,;])handling\s*=\s*"?strict\b/i.test(String(request.headers['prefer'] ?? ''))) {
    throw invalid(...unknown(fields, 'body', 'field'), ...unknown(parameters, 'query', 'parameter'));
  }
  if (fields.length > 0) reply.header('x-flagsvc-ignored-fields', listed(fields));
  if (parameters.length > 0) reply.header('x-flagsvc-ignored-parameters', listed(parameters));
}

function unknown(names: readonly string[], location: FieldError['location'], what: string): FieldError[] {
  const message = `is not a ${what} of this request`;
  return names.map((field) => ({ field, location, code: 'unknown', message }));
}

const listed = (names: readonly string[]): string => names.map(headerSafe).join(', ');

function unknownParameters(schema: JsonSchema | undefined, query: object): readonly string[] {
  const known = schema?.properties ?? {};
  return Object.keys(query)
    .filter((name) => !Object.hasOwn(known, name))
    .slice(0, NAMED_FIELDS);
}

/** Replaces the characters of a name that a header cannot carry. */
function headerSafe(field: string): string {
  if (field === '') return '""';
  return field.slice(0, 100).replace(/[^\x21-\x2b\x2d-\x7e]/g, '?');
}

/** Yields the paths of unknown fields. Unions and free JSON have no list of known fields, so the walk ends there. */
function* unknownFields(schema: JsonSchema, value: unknown, path: string): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  if (schema.type === 'array' && schema.items !== undefined && Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* unknownFields(schema.items, item, `${path}${index}.`);
  } else if (schema.properties !== undefined && !Array.isArray(value)) {
    for (const [name, field] of Object.entries(value)) {
      if (Object.hasOwn(schema.properties, name)) {
        yield* unknownFields(schema.properties[name]!, field, `${path}${name}.`);
      } else {
        yield `${path}${name}`;
      }
    }
  }
}
