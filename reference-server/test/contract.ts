import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

interface Operation {
  readonly responses?: Readonly<
    Record<string, { content?: Record<string, { schema?: unknown }>; headers?: Record<string, unknown> }>
  >;
}

/** Throws when an answer is not what `/openapi.json` says of its operation; paths it does not know are passed. */
export type CheckAnswer = (
  method: string,
  path: string,
  status: number,
  { body, headers }: { readonly body: unknown; readonly headers: Readonly<Record<string, unknown>> },
) => void;

/** By the routes that they are for: to make a document takes as long as to start a server. */
const contracts = new Map<string, CheckAnswer>();

/** Checks answers of a ready app. Apps with the same routes share a document. */
export function createContract(app: FastifyInstance): CheckAnswer {
  const routes = JSON.stringify(
    app.routeTable.map(({ method, url, operationId }) => [method, url, operationId]),
  );
  const known = contracts.get(routes) ?? readContract(app);
  contracts.set(routes, known);
  return known;
}

function readContract(app: FastifyInstance): CheckAnswer {
  const document = app.swagger() as { paths?: Record<string, Record<string, Operation>> };
  // As the router does: a literal segment before a parameter in its place.
  const paths = Object.entries(document.paths ?? {})
    .sort(([left], [right]) => left.split('{').length - right.split('{').length)
    .map(([template, operations]) => ({
      pattern: new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`),
      operations,
    }));
  const validators = new Map<unknown, ReturnType<typeof Compile>>();
  return (method, path, status, { body, headers }) => {
    const operation = paths.find(({ pattern }) => pattern.test(path))?.operations[method.toLowerCase()];
    if (operation === undefined) return;
    const answer = operation.responses?.[status];
    if (answer === undefined) {
      throw new Error(
        `${method} ${path} answered ${status}, which is not documented: ${JSON.stringify(body)}`,
      );
    }
    // Others depend on the request; this one is a promise to everybody.
    if (answer.headers?.['Retry-After'] !== undefined && headers['retry-after'] === undefined) {
      throw new Error(`${method} ${path} answered ${status} without the Retry-After of its document`);
    }
    const schema = answer.content?.['application/json']?.schema;
    if (schema === undefined || body === undefined) return;
    let validator = validators.get(schema);
    if (validator === undefined) {
      validator = Compile(schema as TSchema);
      validators.set(schema, validator);
    }
    if (validator.Check(body)) return;
    const faults = JSON.stringify(validator.Errors(body));
    throw new Error(
      `${method} ${path} ${status} does not match its document: ${faults} ${JSON.stringify(body)}`,
    );
  };
}
