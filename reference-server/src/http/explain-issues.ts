import type { FastifySchemaValidationError } from 'fastify';
import type { TSchema } from 'typebox';
import { VISIBLE } from './schemas.ts';

/** One fault that the validator found. */
export interface Issue extends FastifySchemaValidationError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: Record<string, unknown>;
  readonly message?: string;
}

/**
 * Turns the validator's faults into ones that a caller can act on: only the union branch that the caller meant, and
 * messages that name the allowed values.
 */
export function explainIssues(schema: TSchema, issues: readonly Issue[]): Issue[] {
  const explained = withoutUnions(issues)
    // Each unknown field is reported on its own.
    .filter(({ keyword }) => keyword !== 'additionalProperties')
    .map((issue) => ({ ...issue, keyword: codeOf(issue), message: wordsOf(issue, schema) }));
  const said = new Set<string>();
  return explained.filter(({ instancePath, message }) => {
    const words = JSON.stringify([instancePath, message]);
    return !said.has(words) && said.add(words);
  });
}

/** Resolves unions, inner ones first. */
function withoutUnions(issues: readonly Issue[]): readonly Issue[] {
  const unions = issues.filter(({ keyword }) => keyword === 'anyOf');
  unions.sort((left, right) => right.schemaPath.length - left.schemaPath.length);
  return unions.reduce(resolveUnion, issues);
}

function resolveUnion(issues: readonly Issue[], union: Issue): readonly Issue[] {
  const prefix = `${union.schemaPath}/anyOf/`;
  const branches = new Map<string, Issue[]>();
  const others: Issue[] = [];
  for (const issue of issues) {
    if (issue === union) continue;
    const isInside =
      issue.schemaPath.startsWith(prefix) && `${issue.instancePath}/`.startsWith(`${union.instancePath}/`);
    if (!isInside) {
      others.push(issue);
      continue;
    }
    const branch = issue.schemaPath.slice(prefix.length).split('/', 1)[0]!;
    branches.set(branch, [...(branches.get(branch) ?? []), issue]);
  }
  const isOfOtherType = (issue: Issue): boolean =>
    issue.keyword === 'type' && issue.instancePath === union.instancePath;
  const meant = [...branches.values()].filter((found) => !found.some(isOfOtherType));
  if (meant.length === 1) return [...others, ...meant[0]!];
  const types = [...branches.values()].flat().filter(isOfOtherType).map(typeOf);
  const params = { type: [...new Set(types)] };
  return [...others, meant.length === 0 ? { ...union, keyword: 'type', params } : union];
}

/** The failed keyword; `unknown` for a field that the schema does not have. */
function codeOf({ keyword }: Issue): string {
  return keyword === 'boolean' ? 'unknown' : keyword;
}

function typeOf({ params }: Issue): string {
  return String(params['type']);
}

/** Messages for the patterns of our schemas. */
const PATTERNS: Readonly<Record<string, string>> = {
  '^[a-z0-9]+(-[a-z0-9]+)*$':
    'must be lowercase letters and digits with single hyphens between them, such as dark-mode',
  '^#[0-9a-fA-F]{6}$': 'must be a color such as #1f6feb',
  '^[0-9]{1,9}$': 'must be a whole number',
  '^(\\*|[a-z_]+\\.(\\*|[a-z_]+))$': 'must be an action such as flag.toggled, flag.* or *',
  '^[a-z_]+\\.(\\*|[a-z_]+)$': 'must be an action such as flag.toggled or flag.*',
  '^(any|true|false|bgl_.+)$': "must be true, false or a break-glass session's id (bgl_…)",
  // The same message as for minLength, so that an empty name gets only one.
  [VISIBLE]: 'must not be empty',
  '^evt_': 'must be the meta.next_cursor of an answer',
  '^dlv_': 'must be the meta.next_cursor of an answer',
  '^[^\\s\\u0000-\\u001f\\u007f]+$': 'must not contain spaces or control characters',
  '^[\\w+/=:.-]{1,128}$': 'must be 1 to 128 letters, digits and + / = : . _ -',
  '^[^,\\s]+(,[^,\\s]+)*$': 'must be ids separated by commas',
  '^[^\\s@]+@[^\\s@.]+(\\.[^\\s@.]+)+$': 'must be an e-mail address such as ann@example.com',
};

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'must be a time such as 2026-11-20T10:00:00Z',
  email: 'must be an e-mail address such as ann@example.com',
};

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};

function wordsOf(issue: Issue, schema: TSchema): string {
  const { keyword, params, message = 'is not valid' } = issue;
  const limit = String(params['limit']);
  switch (keyword) {
    case 'type':
      return `must be ${oneOf([params['type']].flat().map((type) => TYPES[String(type)] ?? String(type)))}`;
    case 'enum':
      return `must be ${oneOf(params['allowedValues'] as readonly unknown[])}`;
    case 'const':
      return `must be ${String(params['allowedValue'])}`;
    case 'minimum':
    case 'maximum':
      return `must be ${rangeOf(at(schema, issue.schemaPath))}`;
    case 'minLength':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minItems':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} items`;
    case 'maxItems':
      return `must have at most ${limit} items`;
    case 'maxProperties':
      return `must have at most ${limit} entries`;
    case 'boolean':
      return 'is not a field here';
    case 'pattern':
      return PATTERNS[String(params['pattern'])] ?? message;
    case 'format':
      return FORMATS[String(params['format'])] ?? message;
    default:
      return message;
  }
}

function oneOf(values: readonly unknown[]): string {
  const texts = values.map(String);
  if (texts.length < 3) return texts.join(' or ');
  return `one of ${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;
}

function rangeOf({ minimum, maximum }: { readonly minimum?: number; readonly maximum?: number }): string {
  if (minimum !== undefined && maximum !== undefined) return `between ${minimum} and ${maximum}`;
  return minimum !== undefined ? `at least ${minimum}` : `at most ${maximum}`;
}

/** The part of a schema at a path such as `#/properties/a/anyOf/0`. */
function at(schema: TSchema, path: string): { readonly minimum?: number; readonly maximum?: number } {
  let part: unknown = schema;
  for (const name of path.split('/').slice(1)) {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    part = (part as Readonly<Record<string, unknown>> | undefined)?.[key];
  }
  return part ?? {};
}
