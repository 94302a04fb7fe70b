import { type Operator, patternFault } from '@flagsvc/sdk-core';
import type { ConditionInput } from '../../targeting/condition-schema.ts';
import { type Alternatives, type Audience, between, exactly, NOBODY, UNKNOWN } from './audience.ts';
import type { Scalar } from './fields.ts';
import { foldedPattern, literalPattern } from './text-patterns.ts';

/** Comparisons of one attribute as audiences. */

const VALUES_MAX = 1_000;
const VALUE_LENGTH_MAX = 1_024;

/** The texts that `gt` and `lt` read as numbers (EV-77). */
export const DECIMAL = '^[+-]?(\\d+(\\.\\d+)?|\\.\\d+)([eE][+-]?\\d+)?$';

const condition = (
  attribute: string,
  operator: Operator,
  value: ConditionInput['value'],
): ConditionInput => ({ attribute, operator, value });

/** The attribute is a text, a number, a boolean or a list. */
export const present = (attribute: string): ConditionInput => condition(attribute, 'not_one_of', []);

/** The attribute is present and not the empty text: what other products can put into a bucket. */
export const filled = (attribute: string): ConditionInput => condition(attribute, 'is_not', '');

/** One of the values, as text. */
export function oneOf(attribute: string, values: readonly Scalar[]): Audience {
  const fitting = values.filter((one) => String(one).length <= VALUE_LENGTH_MAX);
  const chunks: Alternatives = chunksOf(fitting).map((chunk) => [condition(attribute, 'one_of', chunk)]);
  // Users whose value is too long to be written here are possible members.
  return fitting.length === values.length ? exactly(chunks) : between(chunks, [[present(attribute)]]);
}

/** None of the values, and present. */
export function presentAndNoneOf(attribute: string, values: readonly Scalar[]): Audience {
  const fitting = values.filter((one) => String(one).length <= VALUE_LENGTH_MAX);
  const chunks = fitting.length === 0 ? [[]] : chunksOf(fitting);
  const all: Alternatives = [chunks.map((chunk) => condition(attribute, 'not_one_of', chunk))];
  return fitting.length === values.length ? exactly(all) : between([], all);
}

function chunksOf(values: readonly Scalar[]): Scalar[][] {
  const distinct = [...new Set(values)];
  const count = Math.ceil(distinct.length / VALUES_MAX);
  return Array.from({ length: count }, (_, at) => distinct.slice(at * VALUES_MAX, (at + 1) * VALUES_MAX));
}

/** A number above or below a limit, or the limit itself with `orEqual`. */
export function number(
  attribute: string,
  operator: 'gt' | 'lt',
  { limit, orEqual }: { readonly limit: number; readonly orEqual: boolean },
): Audience {
  if (!Number.isFinite(limit)) return UNKNOWN;
  const beyond = condition(attribute, operator, limit);
  return exactly(orEqual ? [[beyond], [condition(attribute, 'is', limit)]] : [[beyond]]);
}

/** A text that a pattern of our dialect finds. */
export function pattern(attribute: string, source: string): Audience {
  return patternFault(source) < 0 ? exactly([[condition(attribute, 'matches_regex', source)]]) : UNKNOWN;
}

type Place = 'start' | 'end' | 'anywhere';

/** A text that begins with, ends with or contains one of the texts. */
export function affix(
  attribute: string,
  place: Place,
  { texts, ignoreCase = false }: { readonly texts: readonly string[]; readonly ignoreCase?: boolean },
): Audience {
  const [only, ...others] = texts;
  if (only === undefined) return NOBODY;
  if (place === 'anywhere' && others.length === 0 && !ignoreCase) {
    return only.length > VALUE_LENGTH_MAX ? UNKNOWN : exactly([[condition(attribute, 'contains', only)]]);
  }
  // An empty pattern is outside the dialect, but every text begins with the empty text.
  if (texts.includes('')) return exactly([[condition(attribute, 'contains', '')]]);
  const wrap = (body: string): string =>
    `${place === 'start' ? '^' : ''}${body}${place === 'end' ? '$' : ''}`;
  const literals = texts.map(ignoreCase ? foldedPattern : literalPattern);
  const joined = wrap(literals.length === 1 ? literals[0]! : `(?:${literals.join('|')})`);
  if (patternFault(joined) < 0) return pattern(attribute, joined);
  const each = literals.map((one) => pattern(attribute, wrap(one)));
  return between(
    each.flatMap((one) => one.sure),
    each.some((one) => one === UNKNOWN) ? [[]] : each.flatMap((one) => one.possible),
  );
}

/** A version above or below a limit. Undefined if the limit is no version. */
export function version(attribute: string, operator: 'version_gt' | 'version_lt', limit: string): Audience {
  return exactly([[condition(attribute, operator, limit)]]);
}

const IDENTIFIERS = '[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*';
const VERSION =
  /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** The parts of a version in the form that the semantic versions of all products share, without a leading v. */
export function versionParts(
  text: string,
): { readonly core: readonly string[]; readonly prerelease: string | undefined } | undefined {
  const found = VERSION.exec(text);
  if (found === null) return undefined;
  const [, major = '0', minor, patch, prerelease] = found;
  const core = [major, minor ?? '0', patch ?? '0'];
  return core.some((one) => /^0\d/.test(one)) ? undefined : { core, prerelease };
}

/** A pattern for exactly this version, whatever its build; `isShort` also finds it without a minor or patch of 0. */
export function versionPattern(text: string, isShort: boolean): string | undefined {
  const parts = versionParts(text);
  if (parts === undefined) return undefined;
  const [major = '0', minor = '0', patch = '0'] = parts.core;
  const last = isShort && patch === '0' ? '(\\.0)?' : `\\.${patch}`;
  const rest = isShort && minor === '0' && patch === '0' ? '(\\.0(\\.0)?)?' : `\\.${minor}${last}`;
  const tail = parts.prerelease === undefined ? '' : `-${literalPattern(parts.prerelease)}`;
  return `^${major}${rest}${tail}(\\+${IDENTIFIERS})?$`;
}
