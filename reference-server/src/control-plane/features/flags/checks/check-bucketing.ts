import { invalid } from '../../../../http/errors.ts';
import type { RuleInput, StoredRule } from '../flag-schemas.ts';

/** Revision 3 divides units into this many buckets. */
const BUCKETS = 10_000;

/**
 * Checks a rule's `bucketing` and returns it in its stored form. The ranges of revision 3 must not overlap, and the
 * rollout must say their shares, because people and older SDKs read only the rollout.
 */
export function checkBucketing(rule: RuleInput, field: string): Pick<StoredRule, 'bucketing'> {
  const { bucketing, percentage_rollout: rollout } = rule;
  if (bucketing == null) return {};
  if (typeof bucketing === 'number') return { bucketing };
  const { ranges, gates = [], by } = bucketing;
  const refuse = (name: string, message: string) =>
    invalid({ field: `${field}.${name}`, location: 'body', code: 'bucketing', message });
  if (rollout == null)
    throw refuse(
      'percentage_rollout',
      'is required beside revision 3 of bucketing: say the shares in whole percentages',
    );
  if (by.startsWith('$'))
    throw refuse('bucketing.by', 'must be user_key or the name of an attribute without $');
  for (const [name, list] of Object.entries({ ranges, gates })) {
    const at = list.findIndex(({ from, to }) => from >= to);
    if (at >= 0) throw refuse(`bucketing.${name}.${at}`, 'must have a from that is less than its to');
  }
  const sorted = [...ranges].sort((left, right) => left.from - right.from);
  const overlapping = sorted.find(({ from }, at) => at > 0 && from < sorted[at - 1]!.to);
  if (overlapping)
    throw refuse(`bucketing.ranges.${ranges.indexOf(overlapping)}`, 'must not overlap another range');
  const keys = new Set([...ranges, ...rollout].map(({ variation }) => variation));
  for (const variation of keys) {
    const entries = rollout.filter((entry) => entry.variation === variation);
    const own = ranges.filter((range) => range.variation === variation);
    const said = entries.reduce((sum, { percentage }) => sum + percentage, 0);
    const share = (own.reduce((sum, { from, to }) => sum + to - from, 0) * 100) / BUCKETS;
    if (entries.length === 0 || Math.abs(said - share) >= 1)
      throw refuse(
        'percentage_rollout',
        `must say the share of ${variation} in bucketing.ranges, which is ${share} %, rounded to a whole percentage`,
      );
  }
  return { bucketing };
}
