import { Ajv2020 } from 'ajv/dist/2020.js';
import type { HttpClient, HttpRequest, HttpResponse } from './http-client.ts';

interface Operation {
  readonly responses?: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: unknown }>> }>
  >;
}

/**
 * Checks every response from now on against the server's own `/openapi.json`: its status must be documented and its body
 * must match the schema. Does nothing for a server without the document; a scenario tests that the document exists.
 */
export const checkAgainstOpenapi = async (http: HttpClient): Promise<void> => {
  const { status, body } = await http.send({ method: 'GET', path: '/openapi.json', root: true });
  const document = body as OpenapiDocument | undefined;
  if (status !== 200 || typeof document?.paths !== 'object') return;
  checkAgainstDocument(http, document, { name: 'openapi.json', prefix: '/api/v1' });
};

/** The part of an OpenAPI document that is read here. */
export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** How responses are checked against a document. */
interface DocumentCheck {
  /** The document's name in messages. */
  readonly name: string;
  /** Is put before the path of each request. */
  readonly prefix: string;
  /** Statuses that the document need not name. */
  readonly allows?: (status: number) => boolean;
}

/** Checks every response from now on against the document. */
export const checkAgainstDocument = (
  http: HttpClient,
  document: OpenapiDocument,
  check: DocumentCheck,
): void => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  ajv.addSchema(document, 'openapi');
  const templates = Object.entries(document.paths).map(([template, operations]) => ({
    template,
    operations,
    pattern: new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')}$`),
  }));
  http.onResponse((request, response) => faultOf(request, response, { ...check, templates, ajv }));
};

type Template = {
  template: string;
  operations: Readonly<Record<string, Operation>>;
  pattern: RegExp;
};

/** How a response violates the document; undefined if it does not. */
const faultOf = (
  { method, path, root }: HttpRequest,
  { status, body }: HttpResponse,
  {
    templates,
    ajv,
    name: document,
    prefix,
    allows,
  }: DocumentCheck & {
    readonly templates: readonly Template[];
    readonly ajv: Ajv2020;
  },
): string | undefined => {
  if (root) return undefined;
  const whole = `${prefix}${path}`;
  // A literal path takes precedence over one with parameters.
  const found = templates
    .filter(({ pattern }) => pattern.test(whole))
    .sort((left, right) => left.template.split('{').length - right.template.split('{').length)[0];
  const name = method.toLowerCase();
  const operation = found?.operations[name];
  if (!found || !operation) return undefined;
  const response = operation.responses?.[status];
  if (!response && allows?.(status)) return undefined;
  if (!response) return `${document} does not document ${status} for ${method} ${found.template}`;
  const [media] = Object.keys(response.content ?? {}).filter((type) => type.startsWith('application/json'));
  if (media === undefined || body === undefined) return undefined;
  const pointer = ['paths', found.template, name, 'responses', `${status}`, 'content', media, 'schema']
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
  const check = ajv.getSchema(`openapi#/${pointer}`);
  if (!check || check(body)) return undefined;
  return `${method} ${found.template} ${status} does not match ${document}: ${ajv.errorsText(check.errors)}`;
};
