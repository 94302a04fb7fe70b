import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Caller, ServerAnswer, ServerCall } from './http-client.ts';

interface Operation {
  readonly responses?: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: unknown }>> }>
  >;
}

/**
 * Holds every answer from now on against the server's own `/openapi.json`: the status must be documented and the
 * body must have its schema. A server without the document is not held against it; a scenario asks for it.
 */
export const holdToContract = async (caller: Caller): Promise<void> => {
  const { status, body } = await caller.send({ method: 'GET', path: '/openapi.json', root: true });
  const document = body as { paths?: Record<string, Record<string, Operation>> } | undefined;
  if (status !== 200 || typeof document?.paths !== 'object') return;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  ajv.addSchema(document, 'openapi');
  const templates = Object.entries(document.paths).map(([template, operations]) => ({
    template,
    operations,
    pattern: new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')}$`),
  }));
  caller.onAnswer((call, answer) => judge(call, answer, templates, ajv));
};

type Template = { template: string; operations: Record<string, Operation>; pattern: RegExp };

const judge = (
  { method, path, root }: ServerCall,
  answer: ServerAnswer,
  templates: readonly Template[],
  ajv: Ajv2020,
): string | undefined => {
  if (root) return undefined;
  const whole = `/api/v1${path}`;
  // A literal path wins over one with parameters.
  const found = templates
    .filter(({ pattern }) => pattern.test(whole))
    .sort((left, right) => left.template.split('{').length - right.template.split('{').length)[0];
  const name = method.toLowerCase();
  const operation = found?.operations[name];
  if (!found || !operation) return undefined;
  const response = operation.responses?.[answer.status];
  if (!response) return `openapi.json does not document ${answer.status} for ${method} ${found.template}`;
  const [media] = Object.keys(response.content ?? {}).filter((type) => type.startsWith('application/json'));
  if (media === undefined || answer.body === undefined) return undefined;
  const pointer = ['paths', found.template, name, 'responses', `${answer.status}`, 'content', media, 'schema']
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
  const check = ajv.getSchema(`openapi#/${pointer}`);
  if (!check || check(answer.body)) return undefined;
  return `${method} ${found.template} ${answer.status} is not as openapi.json says: ${ajv.errorsText(check.errors)}`;
};
