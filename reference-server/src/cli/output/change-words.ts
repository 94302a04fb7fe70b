import type { Flag } from '../client/document.ts';
import { renderConditions } from './condition-words.ts';
import { describeInstruction } from './instruction-words.ts';
import { renderTarget } from './render-flag.ts';
import { cellText } from './table.ts';
import { isApiTime } from './time-words.ts';

/** The old and the new value of a field. */
export interface FieldChange {
  readonly from?: unknown;
  readonly to?: unknown;
}

type Named = Readonly<Record<string, unknown>>;
type Rule = Flag['targeting_rules'][number];

/** The places of rules by their ids, before and after the change: the lists of a change hold only what differs. */
export interface RulePlaces {
  readonly from: ReadonlyMap<string, number>;
  readonly to: ReadonlyMap<string, number>;
}

/** The changes of a resource, one sentence a line, without ids. Rules are numbered if their places are known. */
export function changeLines(
  changes: Readonly<Record<string, FieldChange>>,
  places?: RulePlaces,
): readonly string[] {
  const isNew = Object.values(changes).every(({ from }) => isEmpty(from));
  return Object.entries(changes)
    .filter(([field, { to }]) => !HIDDEN.has(field) && !(isNew && isImplied(field, to)))
    .flatMap(([field, change]) =>
      field === 'targeting_rules' ? ruleLines(change, places) : fieldLines(field, change),
    );
}

/** What a new resource has anyway: its key, which stands beside the change, and what is off, none or standard. */
function isImplied(field: string, value: unknown): boolean {
  return (
    field === 'key' || value === false || value === 0 || STANDARD[field]?.includes(String(value)) === true
  );
}

const STANDARD: Readonly<Record<string, readonly string[]>> = {
  status: ['active', 'pending'],
  on_conflict: ['fail'],
  on_freeze: ['defer'],
  timezone: ['UTC'],
  flag_type: ['boolean'],
};

/** The places of all rules before and after a change to some of them. */
export function rulePlaces(before: readonly Rule[], { from, to }: FieldChange): RulePlaces {
  const gone = new Set(listOf<Rule>(from).map(({ id }) => id));
  const kept = before.filter(({ id }) => !gone.has(id));
  const after = [...kept, ...listOf<Rule>(to)].sort((left, right) => left.priority - right.priority);
  const numbered = (rules: readonly Rule[]) => new Map(rules.map(({ id }, index) => [id, index + 1]));
  return { from: numbered(before), to: numbered(after) };
}

/** Fields that follow from others. */
const HIDDEN = new Set([
  'updated_at',
  'created_at',
  'revision',
  'id',
  'created_by',
  'environment_id',
  'project_id',
]);

function fieldLines(field: string, { from, to }: FieldChange): readonly string[] {
  switch (field) {
    case 'enabled':
      return [to === true ? 'turn it on' : 'turn it off'];
    case 'variations':
      return listLines(listOf(from), listOf(to), { noun: 'variation', key: 'key', words: variationWords });
    case 'prerequisites':
      return listLines(listOf(from), listOf(to), {
        noun: 'prerequisite',
        key: 'flag_key',
        words: prerequisiteWords,
      });
    case 'changes':
      return listOf<Parameters<typeof describeInstruction>[0]>(to).map((one) =>
        cellText(describeInstruction(one)),
      );
    case 'conditions':
      return [`conditions become: ${renderConditions({ conditions: listOf(to) })}`];
    default:
      return plainLines(field.replaceAll('_', ' '), from, to);
  }
}

function plainLines(name: string, from: unknown, to: unknown): readonly string[] {
  if (isTexts(from ?? []) && isTexts(to ?? [])) {
    const [before, after] = [listOf<string>(from), listOf<string>(to)];
    const added = missingIn(before, after);
    const removed = missingIn(after, before);
    const parts = [
      added.length > 0 && `add ${listed(added)}`,
      removed.length > 0 && `remove ${listed(removed)}`,
    ];
    const said = parts.filter((part) => part !== false).join('; ');
    if (Array.isArray(from) || Array.isArray(to)) return said === '' ? [] : [`${name}: ${said}`];
  }
  if (isHidden(from) && isHidden(to)) return [];
  if (isEmpty(from)) return isEmpty(to) ? [] : [`${name}: ${valueWords(to)}`];
  if (isEmpty(to)) return [`remove ${name} ${valueWords(from)}`];
  return [`${name}: ${valueWords(from)} becomes ${valueWords(to)}`];
}

/** The values that a list lacks; lists of users can be long. */
function missingIn(list: readonly string[], values: readonly string[]): readonly string[] {
  const known = new Set(list);
  return values.filter((one) => !known.has(one));
}

const LISTED_MAX = 10;

function listed(values: readonly string[]): string {
  const more = values.length > LISTED_MAX ? ` and ${values.length - LISTED_MAX} more` : '';
  return values.slice(0, LISTED_MAX).map(cellText).join(', ') + more;
}

function ruleLines(change: FieldChange, places?: RulePlaces): readonly string[] {
  const [from, to] = [listOf<Rule>(change.from), listOf<Rule>(change.to)];
  const lines = listLines(from, to, { noun: 'rule', key: 'id', words: ruleWords, places });
  const kept = (rules: readonly Rule[], others: readonly Rule[]) =>
    rules.map(({ id }) => id).filter((id) => others.some((other) => other.id === id));
  const isMoved = kept(from, to).join() !== kept(to, from).join();
  const named = to.map((rule) => (rule.name ? `"${rule.name}"` : `(${renderConditions(rule)})`));
  return isMoved ? [...lines, `order of the rules: ${cellText(named.join(', '))}`] : lines;
}

function ruleWords(rule: Rule): string {
  const name = rule.name === '' ? '' : `"${rule.name}" `;
  return `${name}(${renderConditions(rule)}) serves ${renderTarget(rule)}`;
}

const variationWords = ({ key, value }: Named): string => `${String(key)} = ${JSON.stringify(value)}`;
const prerequisiteWords = ({ flag_key, variation }: Named): string =>
  `${String(flag_key)}=${String(variation)}`;

interface ListWords<Item> {
  readonly noun: string;
  readonly key: keyof Item & string;
  readonly words: (item: Item) => string;
  readonly places?: RulePlaces | undefined;
}

/** Added, changed and removed items of a list. */
function listLines<Item extends object>(
  from: readonly Item[],
  to: readonly Item[],
  { noun, key, words, places }: ListWords<Item>,
): readonly string[] {
  const find = (items: readonly Item[], item: Item) => items.find((one) => one[key] === item[key]);
  const named = (item: Item, numbers?: ReadonlyMap<string, number>) => {
    const number = numbers?.get(String(item[key]));
    return number === undefined ? noun : `${noun} ${number}`;
  };
  const added = to.flatMap((item) =>
    find(from, item) === undefined ? [`add ${named(item, places?.to)}: ${cellText(words(item))}`] : [],
  );
  const changed = from.flatMap((item) => {
    const now = find(to, item);
    const name = named(item, places?.from);
    if (now === undefined) return [`remove ${name}: ${cellText(words(item))}`];
    if (words(now) === words(item)) return noun === 'variation' ? labelLines(item, now) : [];
    return [`change ${name}: ${cellText(words(item))} becomes ${cellText(words(now))}`];
  });
  return [...changed, ...added];
}

/** What people read of a variation whose value stays. */
function labelLines(from: object, to: object): readonly string[] {
  const [before, after] = [from as Named, to as Named];
  return ['name', 'description'].flatMap((field) =>
    before[field] === after[field]
      ? []
      : plainLines(`variation ${String(after['key'])}: ${field}`, before[field], after[field]),
  );
}

function listOf<Item = Named>(value: unknown): readonly Item[] {
  return Array.isArray(value) ? (value as readonly Item[]) : [];
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isEmpty(value: unknown): boolean {
  return (
    value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

/** Ids say nothing to people, and neither do records of only ids. */
function isHidden(value: unknown): boolean {
  if (isEmpty(value) || (typeof value === 'string' && /^[a-z]{2,5}_[0-9A-Z]{26}$/.test(value))) return true;
  return typeof value === 'object' && value !== null && Object.values(value).every(isHidden);
}

function valueWords(value: unknown): string {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const said = Object.entries(value).filter(([, one]) => !isHidden(one));
    return said.map(([name, one]) => `${name.replaceAll('_', ' ')} ${valueWords(one)}`).join(', ');
  }
  return typeof value === 'string' && !isApiTime(value) ? `"${cellText(value)}"` : cellText(value);
}
