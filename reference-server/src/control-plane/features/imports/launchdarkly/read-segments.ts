import { type Audience, allOf, anyOf, exactly, isExact, UNKNOWN } from '../elsewhere/audience.ts';
import { oneOf, presentAndNoneOf } from '../elsewhere/comparisons.ts';
import { asList, asObjects, asText, type Fields } from '../elsewhere/fields.ts';
import { toKey } from '../elsewhere/keys.ts';
import type { Loss } from '../elsewhere/loss.ts';
import type { SegmentBook } from '../elsewhere/segment-book.ts';
import { nameOf } from '../elsewhere/variations.ts';
import { attributeOf, type ClauseScope, readClauses } from './read-clauses.ts';

const LIST_MAX = 10_000;

/**
 * Reads segments when a rule first names them. A segment with one list of conditions becomes a segment of ours, one
 * with several becomes several of which a rule names all.
 */
export function createSegmentReader(
  segments: ReadonlyMap<string, Fields>,
  {
    path,
    book,
    lose,
  }: { readonly path: string; readonly book: SegmentBook; readonly lose: (loss: Loss) => void },
): (key: string) => Audience {
  const read = new Map<string, Audience>();
  const open = new Set<string>();
  const membersOf = (key: string): Audience => {
    const known = read.get(key);
    if (known !== undefined) return known;
    const segment = segments.get(key);
    const at = `${path}.${key}`;
    const lost = (message: string, remedy: string): Audience => {
      lose({ code: 'segment-left-out', path: at, message, remedy });
      return UNKNOWN;
    };
    if (segment === undefined) {
      return lost(
        `The file does not have the segment ${key}.`,
        'Add the segments of the environment to the file under "segments" and import again.',
      );
    }
    if (open.has(key)) return lost(`The segment ${key} contains itself.`, 'Correct it in LaunchDarkly.');
    open.add(key);
    const members = readSegment(key, segment, { path: at, book, membersOf, lose });
    open.delete(key);
    read.set(key, members);
    return members;
  };
  return membersOf;
}

function readSegment(key: string, segment: Fields, scope: ClauseScope): Audience {
  const { lose, path, book } = scope;
  if (segment['unbounded'] === true) {
    lose({
      code: 'segment-left-out',
      path,
      message: `The segment ${key} keeps its members outside the file (a big or synced segment).`,
      remedy: 'Send membership as an attribute of the context, and make a segment with a condition on it.',
    });
    return UNKNOWN;
  }
  const lists = readLists(segment, scope);
  const rules = asObjects(segment['rules']).map(([index, rule]) =>
    readSegmentRule(rule, { ...scope, path: `${path}.rules.${index}` }),
  );
  const matched = anyOf(rules);
  const members = anyOf([...lists.included, allOf([...lists.excluded, matched])]);
  return defineSegment({ key, segment, lists, matched }, book) ?? members;
}

interface Lists {
  readonly included: readonly Audience[];
  readonly excluded: readonly Audience[];
  /** The lists of user keys, when these are all the lists. */
  readonly users: { readonly included: readonly string[]; readonly excluded: readonly string[] } | undefined;
}

function readLists(segment: Fields, scope: ClauseScope): Lists {
  const texts = (value: unknown): string[] => asList(value).filter((one) => typeof one === 'string');
  const users = { included: texts(segment['included']), excluded: texts(segment['excluded']) };
  const others = (name: string) =>
    asObjects(segment[name]).flatMap(([, fields]) => {
      const values = texts(fields['values']);
      const attribute = attributeOf(
        { contextKind: fields['contextKind'] ?? 'user', attribute: 'key' },
        scope,
      );
      return attribute === undefined || values.length === 0 ? [] : [{ attribute, values }];
    });
  const [more, fewer] = [others('includedContexts'), others('excludedContexts')];
  const excluded = [{ attribute: 'user_key', values: users.excluded }, ...fewer];
  return {
    included: [{ attribute: 'user_key', values: users.included }, ...more]
      .filter(({ values }) => values.length > 0)
      .map(({ attribute, values }) => oneOf(attribute, values)),
    excluded: excluded
      .filter(({ values }) => values.length > 0)
      .map(({ attribute, values }) => notListed(attribute, values, scope)),
    users: more.length + fewer.length === 0 ? users : undefined,
  };
}

/** Users always have a key; contexts of another kind may be missing, and are then on no list. */
function notListed(attribute: string, values: readonly string[], { book }: ClauseScope): Audience {
  const others = presentAndNoneOf(attribute, values);
  if (attribute === 'user_key') return others;
  const key = book.hold([{ attribute, operator: 'one_of', value: [...values].slice(0, 1_000) }]);
  const isWhole = values.length <= 1_000;
  return isWhole ? exactly([[{ attribute: '$segment', operator: 'not_one_of', value: [key] }]]) : others;
}

function readSegmentRule(rule: Fields, scope: ClauseScope): Audience {
  const matched = readClauses(rule['clauses'], scope);
  const weight = rule['weight'];
  if (weight === undefined || weight === null || weight === 100_000) return matched;
  scope.lose({
    code: 'segment-left-out',
    path: scope.path,
    message: 'A rule of the segment takes in a percentage of its users. Here a segment takes in all or none.',
    remedy: 'Use a percentage rollout in the flags that name the segment.',
  });
  return { sure: [], possible: matched.possible };
}

interface ReadSegment {
  readonly key: string;
  readonly segment: Fields;
  readonly lists: Lists;
  readonly matched: Audience;
}

/** Makes segments of ours, and returns who is in one of them. Undefined if ours cannot express the segment. */
function defineSegment(
  { key, segment, lists, matched }: ReadSegment,
  book: SegmentBook,
): Audience | undefined {
  const { users } = lists;
  if (users === undefined || !isExact(matched)) return undefined;
  if (users.included.length > LIST_MAX || users.excluded.length > LIST_MAX) return undefined;
  const isPure = matched.sure.flat().every(({ attribute }) => attribute !== '$segment');
  const isAll = matched.sure.some((one) => one.length === 0);
  if (!isPure || isAll) return undefined;
  const listed = new Set(users.included);
  const excluded = users.excluded.filter((one) => !listed.has(one));
  const stem = toKey(key);
  const shared = {
    ...{ name: nameOf(asText(segment['name']) ?? key) ?? stem },
    description: (asText(segment['description']) ?? '').slice(0, 2_000),
    ...(excluded.length > 0 && { excluded }),
  };
  const hasList = users.included.length > 0 || matched.sure.length === 0;
  const first = {
    ...{ key: stem, ...shared, conditions: [...(matched.sure[0] ?? [])] },
    ...(hasList && { included: [...users.included] }),
  };
  const keys = [book.define(first)];
  for (const conditions of matched.sure.slice(1)) {
    keys.push(book.define({ key: stem, ...shared, conditions: [...conditions] }));
  }
  return exactly([[{ attribute: '$segment', operator: 'one_of', value: keys }]]);
}
