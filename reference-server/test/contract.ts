import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

interface Operation {
  readonly responses?: Readonly<
    Record<string, { content?: Record<string, { schema?: unknown }>; headers?: Record<string, unknown> }>
  >;
}

/** Throws when an answer does not match its operation in `/openapi.json`. Ignores paths outside the document. */
export type CheckAnswer = (
  method: string,
  path: string,
  status: number,
  { body, headers }: { readonly body: unknown; readonly headers: Readonly<Record<string, unknown>> },
) => void;

/** One check per set of routes, shared because generating a document takes as long as starting a server. */
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
  // Templates with fewer parameters come first: the router prefers a literal segment to a parameter in the same
  // position.
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
    // Only this header is required: whether an answer has the other documented headers depends on the request.
    if (answer.headers?.['Retry-After'] !== undefined && headers['retry-after'] === undefined) {
      throw new Error(`${method} ${path} answered ${status} without Retry-After, which is documented`);
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
