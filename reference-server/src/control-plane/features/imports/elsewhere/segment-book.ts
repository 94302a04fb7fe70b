import { createHash } from 'node:crypto';
import type { ConditionInput } from '../../targeting/condition-schema.ts';
import type { DocumentSegment } from '../document.ts';
import { toKey } from './keys.ts';

/** The segments that an import makes: those of the document, and those that rules need to exclude users. */
export interface SegmentBook {
  /** The key of a segment with exactly these conditions, made for rules that exclude its members. */
  hold(conditions: readonly ConditionInput[]): string;
  /** Adds a segment of the document and returns its key, which differs from the wish if that key is taken. */
  define(segment: DocumentSegment): string;
  readonly segments: readonly DocumentSegment[];
}

/** The description of segments that an import makes for rules. */
export const HELPER = 'Made by an import: rules name it to leave out its members.';
const NAME_MAX = 200;
const SLUG_MAX = 60;

export function createSegmentBook(): SegmentBook {
  const byKey = new Map<string, DocumentSegment>();
  const define = (segment: DocumentSegment): string => {
    const content = contentOf(segment);
    for (let count = 1; ; count++) {
      const key = count === 1 ? segment.key : `${segment.key.slice(0, 90)}-${count}`;
      const known = byKey.get(key);
      if (known !== undefined && contentOf(known) !== content) continue;
      if (known === undefined) byKey.set(key, { ...segment, key });
      return key;
    }
  };
  return {
    hold: (conditions) => define(helperSegment(conditions)),
    define,
    get segments() {
      return [...byKey.values()].sort((left, right) => (left.key < right.key ? -1 : 1));
    },
  };
}

const contentOf = ({ conditions, included, excluded }: DocumentSegment): string =>
  JSON.stringify([conditions, included, excluded]);

/** Its key follows from its conditions, so that the same import twice names the same segments. */
function helperSegment(conditions: readonly ConditionInput[]): DocumentSegment {
  const text = conditions
    .map(({ attribute, operator, value }) =>
      operator === 'not_one_of' && Array.isArray(value) && value.length === 0
        ? `${attribute} present`
        : `${attribute} ${operator} ${[value].flat().join(', ')}`,
    )
    .join(' and ');
  const slug = toKey(text);
  const digest = createHash('sha256').update(JSON.stringify(conditions)).digest('hex').slice(0, 8);
  // The slug drops signs, so it names a short condition on plain words only.
  const isPlain = slug.length <= SLUG_MAX && /^[a-z0-9, _-]*$/.test(text);
  const key = isPlain ? slug : `${slug.slice(0, SLUG_MAX).replace(/-+$/, '')}-${digest}`;
  return { key, name: text.slice(0, NAME_MAX), description: HELPER, conditions: [...conditions] };
}
