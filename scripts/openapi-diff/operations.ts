import type { Follow, Schema } from './compare-schemas.ts';

export type Named<Value> = Readonly<Record<string, Value>>;

export interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

/** A request's body, or an answer. */
export interface Message {
  readonly required?: boolean;
  readonly headers?: Named<unknown>;
  readonly content?: Named<{ readonly schema?: Schema }>;
}

/** Any one of these opens an operation, each by all the schemes that it names. */
export type Security = readonly Named<unknown>[];

/** An operation as it stands in a document. */
export interface Described {
  readonly operationId?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Message;
  readonly responses?: Named<Message>;
  readonly security?: Security;
}

/** As much of a document of OpenAPI 3.1 as clients depend on. */
export interface OpenApiDocument {
  readonly paths?: Named<Named<Described>>;
  readonly webhooks?: Named<Named<Described>>;
  readonly security?: Security;
  readonly components?: {
    readonly schemas?: Named<Schema>;
    readonly securitySchemes?: Named<object>;
  };
}

/** An operation with nothing left to look up, but for what its schemas refer to. */
export interface Operation {
  readonly id: string;
  readonly parameters: ReadonlyMap<string, Parameter>;
  readonly body: Message;
  readonly answers: Named<Message & { readonly codes: readonly unknown[] }>;
  readonly security: Security;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'];

/** The operations of a document, or its webhooks, by their names. */
export function operationsIn(
  document: OpenApiDocument,
  section: 'paths' | 'webhooks',
): ReadonlyMap<string, Operation> {
  const entries = Object.entries(document[section] ?? {}).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => {
      const name = section === 'paths' ? `${method.toUpperCase()} ${path}` : `webhook ${path}`;
      return [name, readOperation(document, item[method]!)] as const;
    }),
  );
  return new Map(entries);
}

function readOperation(document: OpenApiDocument, described: Described): Operation {
  const follow = followIn(document);
  const { operationId, parameters = [], requestBody = {}, responses = {} } = described;
  const security = described.security ?? document.security ?? [];
  return {
    id: operationId ?? 'nothing',
    parameters: new Map(parameters.map(follow).map((one) => [`${one.in} ${one.name}`, one])),
    body: follow(requestBody),
    answers: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => {
        const answer = follow(response);
        return [status, { ...answer, codes: codesOf(answer, follow) }];
      }),
    ),
    // Without any, everybody may call it.
    security: security.length === 0 ? [{}] : security,
  };
}

/** The codes of an answer of `{ error: { code } }`. */
function codesOf({ content = {} }: Message, follow: Follow): readonly unknown[] {
  const fieldOf = (schema: Schema, name: string): Schema => follow(follow(schema).properties?.[name] ?? {});
  return Object.values(content).flatMap(({ schema = {} }) => {
    const code = fieldOf(fieldOf(schema, 'error'), 'code');
    return code.enum ?? (code.const === undefined ? [] : [code.const]);
  });
}

/** Looks up references inside of a document. */
export function followIn(document: object): Follow {
  const follow: Follow = (value) => {
    if (!('$ref' in value)) return value;
    const steps = String(value.$ref).split('/').slice(1);
    const target = steps
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, step) => (at as Named<unknown> | undefined)?.[step], document);
    if (typeof target !== 'object' || target === null) throw new Error(`${value.$ref} leads nowhere.`);
    return follow(target as typeof value);
  };
  return follow;
}
