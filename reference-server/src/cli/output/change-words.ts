import type { Flag } from '../client/document.ts';
import { describeInstruction } from './instruction-words.ts';
import { renderConditions, renderTarget } from './render-flag.ts';
import { cellText } from './table.ts';

/** The old and the new value of a field. */
export interface FieldChange {
  readonly from?: unknown;
  readonly to?: unknown;
}

type Named = Readonly<Record<string, unknown>>;
type Rule = Flag['targeting_rules'][number];

/** The changes of a resource, one sentence a line, without ids. */
export function changeLines(changes: Readonly<Record<string, FieldChange>>): readonly string[] {
  return Object.entries(changes)
    .filter(([field]) => !HIDDEN.has(field))
    .flatMap(([field, change]) => fieldLines(field, change));
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
    case 'targeting_rules':
      return ruleLines(listOf<Rule>(from), listOf<Rule>(to));
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

function ruleLines(from: readonly Rule[], to: readonly Rule[]): readonly string[] {
  const lines = listLines(from, to, { noun: 'rule', key: 'id', words: ruleWords, place: true });
  const kept = (rules: readonly Rule[], others: readonly Rule[]) =>
    rules.map(({ id }) => id).filter((id) => others.some((other) => other.id === id));
  const isMoved = kept(from, to).join() !== kept(to, from).join();
  const order = to.map((rule, index) => rule.name || `rule ${index + 1}`).join(', ');
  return isMoved ? [...lines, `order of the rules: ${cellText(order)}`] : lines;
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
  /** True if the words name the place in the list. */
  readonly place?: boolean;
}

/** Added, changed and removed items of a list. */
function listLines<Item extends object>(
  from: readonly Item[],
  to: readonly Item[],
  { noun, key, words, place = false }: ListWords<Item>,
): readonly string[] {
  const find = (items: readonly Item[], item: Item) => items.find((one) => one[key] === item[key]);
  const number = (index: number) => (place ? ` ${index + 1}` : '');
  const added = to.flatMap((item, index) =>
    find(from, item) === undefined ? [`add ${noun}${number(index)}: ${cellText(words(item))}`] : [],
  );
  const changed = from.flatMap((item, index) => {
    const now = find(to, item);
    if (now === undefined) return [`remove ${noun}${number(index)}: ${cellText(words(item))}`];
    if (words(now) === words(item)) return [];
    return [`change ${noun}${number(index)}: ${cellText(words(item))} becomes ${cellText(words(now))}`];
  });
  return [...changed, ...added];
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
  return typeof value === 'string' ? `"${cellText(value)}"` : cellText(value);
}
