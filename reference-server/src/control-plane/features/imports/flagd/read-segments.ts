import { isDeepStrictEqual } from 'node:util';
import type { DocumentSegment } from '../document.ts';
import { FlagdFault } from '../import-errors.ts';
import { type FlagdCondition, type FlagdScope, readAlternatives } from './read-conditions.ts';
import { recognizeCondition } from './recognize-condition.ts';
import { type Evaluators, writeSegments } from './write-flagd.ts';

type Logics = Readonly<Record<string, unknown>>;

/** The segments that are made from the `$evaluators` of a file. */
export interface FlagdSegments {
  readonly segments: readonly DocumentSegment[];
  /** The evaluators that an export of these segments would write. */
  readonly evaluators: Evaluators;
  readonly refer: (
    refs: readonly string[],
    isNegative: boolean,
    matchesMissing: FlagdScope['matchesMissing'],
  ) => FlagdCondition;
}

/**
 * Calls `read` and returns its result in a list. If it throws a fault, the fault is collected under `path` and the list
 * is empty.
 */
export type Attempt = <T>(path: string, key: string, read: () => T) => T[];

/**
 * Keys of the evaluators that an export writes in addition to a segment's own: one for the listed users of the segment,
 * and one for the upper bound of its members.
 */
const COMPANION = /^(.+)\/(included|possible)$/;

export function readSegments(
  logics: Logics,
  attempt: Attempt,
  warn: (code: string, path: string) => void,
): FlagdSegments {
  const missing = new Map<string, string[]>();
  const ownerOf = (name: string): string => {
    const owner = COMPANION.exec(name)?.[1];
    return owner !== undefined && Object.hasOwn(logics, owner) ? owner : name;
  };
  const segments = Object.keys(logics)
    .filter((name) => ownerOf(name) === name)
    .flatMap((key) => {
      const path = `$evaluators.${key}`;
      const scope: FlagdScope = {
        refer: () => {
          throw new FlagdFault('targeting', 'refers to another evaluator; segments do not nest');
        },
        matchesMissing: (attribute) => missing.set(key, [...(missing.get(key) ?? []), attribute]),
        warn: (code, subject) => warn(code, placeOf(path, subject)),
      };
      return attempt(path, key, () => readSegment(key, logics, scope));
    });
  const evaluators = writeSegments(segments.map(toRow), []);
  for (const name of Object.keys(logics)) {
    const isKnown = ownerOf(name) === name || isDeepStrictEqual(evaluators.written[name], logics[name]);
    attempt(`$evaluators.${name}`, name, () => {
      if (!isKnown)
        throw new FlagdFault('targeting', 'differs from what flagsvc would export for its segment');
    });
  }
  return {
    segments,
    evaluators,
    refer(refs, isNegative, matchesMissing) {
      const owners = [...new Set(refs.map(ownerOf))];
      for (const owner of owners) {
        if (!Object.hasOwn(logics, owner))
          throw new FlagdFault('targeting', `refers to ${owner}, which does not exist`);
        requireSameRefs(
          new Set(refs.filter((ref) => ownerOf(ref) === owner)),
          refsNeeded(owner, isNegative, logics),
        );
        const compared = missing.get(owner) ?? [];
        if (isNegative && compared.length > 0) {
          throw new FlagdFault(
            'targeting',
            `uses ! with ${owner}, which contains users without ${compared[0]} in flagd, but not here`,
          );
        }
        compared.forEach(matchesMissing);
      }
      return { attribute: '$segment', operator: isNegative ? 'not_one_of' : 'one_of', value: owners };
    },
  };
}

/** A path in the file, followed by the subject of a warning, if it has one. */
export const placeOf = (path: string, subject: string | undefined): string =>
  subject === undefined ? path : `${path} (${subject})`;

/**
 * All evaluators to which a condition on a segment must refer: the segment's own evaluator and, if it has listed users,
 * the evaluator of these users. For users outside of the segment, the evaluator of the upper bound of its members takes
 * the place of the segment's own.
 */
function refsNeeded(owner: string, isNegative: boolean, logics: Logics): readonly string[] {
  const included = `${owner}/included`;
  const possible = `${owner}/possible`;
  const own = isNegative && Object.hasOwn(logics, possible) ? possible : owner;
  return Object.hasOwn(logics, included) ? [own, included] : [own];
}

function requireSameRefs(given: ReadonlySet<string>, needed: readonly string[]): void {
  if (given.size === needed.length && needed.every((ref) => given.has(ref))) return;
  throw new FlagdFault('targeting', `must refer to exactly ${needed.join(' and ')}`);
}

function readSegment(key: string, logics: Logics, scope: FlagdScope): DocumentSegment {
  const [only, ...others] = readAlternatives(logics[key], scope);
  if (only === undefined || others.length > 0) throw new FlagdFault('targeting', 'has alternatives');
  const listed = recognizeCondition(logics[`${key}/included`]);
  const conditions = [...only];
  const excluded = conditions.length > 1 ? usersOf(conditions.at(-1), 'not_one_of') : undefined;
  if (excluded !== undefined) conditions.pop();
  const alone =
    conditions.length === 1 && excluded === undefined ? usersOf(conditions[0], 'one_of') : undefined;
  const included = usersOf(listed, 'one_of') ?? alone;
  return {
    key,
    conditions: alone === undefined ? conditions : [],
    ...(included !== undefined && { included }),
    ...(excluded !== undefined && { excluded }),
  };
}

/** The user keys that a condition lists, which a segment stores as a list (decisions/0007); undefined for others. */
function usersOf(
  condition: FlagdCondition | undefined,
  operator: 'one_of' | 'not_one_of',
): string[] | undefined {
  if (condition?.attribute !== 'user_key' || condition.operator !== operator) return undefined;
  const users = condition.value as unknown[];
  // `not_one_of` with an empty list requires a user key, but an empty list of excluded users does not require one.
  if (operator === 'not_one_of' && users.length === 0) return undefined;
  return users.every((user): user is string => typeof user === 'string' && user !== '') ? users : undefined;
}

function toRow({ key, conditions, included, excluded }: DocumentSegment) {
  return {
    id: key,
    key,
    conditions_json: JSON.stringify(conditions),
    included_json: JSON.stringify(included ?? null),
    excluded_json: JSON.stringify(excluded ?? []),
  };
}
