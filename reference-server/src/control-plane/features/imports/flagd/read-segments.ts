import { isDeepStrictEqual } from 'node:util';
import type { DocumentSegment } from '../document.ts';
import { FlagdFault } from '../import-errors.ts';
import { type FlagdCondition, type FlagdScope, readAlternatives } from './read-conditions.ts';
import { recognizeCondition } from './recognize-condition.ts';
import { type Evaluators, writeSegments } from './write-flagd.ts';

type Logics = Readonly<Record<string, unknown>>;

/** What the evaluators of a file stand for. */
export interface FlagdSegments {
  readonly segments: readonly DocumentSegment[];
  /** As an export of the segments would write them. */
  readonly evaluators: Evaluators;
  readonly refer: (
    refs: readonly string[],
    isNegative: boolean,
    matchesMissing: FlagdScope['matchesMissing'],
  ) => FlagdCondition;
}

/** Runs `read` for the thing at a path; a fault is collected, and nothing comes of it. */
export type Attempt = <T>(path: string, key: string, read: () => T) => T[];

/** What an export writes beside a segment: the users whom it names, and whom it may hold at most. */
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
      if (!isKnown) throw new FlagdFault('targeting', 'is not what an export writes beside a segment');
    });
  }
  return {
    segments,
    evaluators,
    refer(refs, isNegative, matchesMissing) {
      const owners = [...new Set(refs.map(ownerOf))];
      for (const owner of owners) {
        if (!Object.hasOwn(logics, owner))
          throw new FlagdFault('targeting', `refers to ${owner}, which is not there`);
        requireWhole(owner, refs, isNegative, logics);
        const asked = missing.get(owner) ?? [];
        if (isNegative && asked.length > 0) {
          throw new FlagdFault(
            'targeting',
            `uses ! with ${owner}, which holds users without ${asked[0]} in flagd, but not here`,
          );
        }
        asked.forEach(matchesMissing);
      }
      return { attribute: '$segment', operator: isNegative ? 'not_one_of' : 'one_of', value: owners };
    },
  };
}

/** A place in the file, with what it is about there. */
export const placeOf = (path: string, subject: string | undefined): string =>
  subject === undefined ? path : `${path} (${subject})`;

/** A segment is asked for together with the users whom it names; its upper bound only for those who are outside. */
function requireWhole(owner: string, refs: readonly string[], isNegative: boolean, logics: Logics): void {
  const included = `${owner}/included`;
  const possible = `${owner}/possible`;
  const own = isNegative && Object.hasOwn(logics, possible) ? possible : owner;
  const wanted = Object.hasOwn(logics, included) ? [own, included] : [own];
  const given = [...new Set(refs)].filter((ref) => ref === owner || ref === included || ref === possible);
  if (given.length === wanted.length && wanted.every((ref) => given.includes(ref))) return;
  throw new FlagdFault('targeting', `has to refer to ${wanted.join(' or ')} together`);
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

/** The users whom a condition names one by one, as a segment lists them (decisions/0007). */
function usersOf(
  condition: FlagdCondition | undefined,
  operator: 'one_of' | 'not_one_of',
): string[] | undefined {
  if (condition?.attribute !== 'user_key' || condition.operator !== operator) return undefined;
  const users = condition.value as unknown[];
  // Not to be among nobody is to have a user key, which an empty list does not ask for.
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
