import { LISTS_MAX } from '../../flags/flag-schemas.ts';
import type { DocumentConfig } from '../document.ts';
import { type Audience, type Conditions, isExact } from './audience.ts';
import type { Loss } from './loss.ts';
import { type Share, writeShares } from './shares.ts';

export type DocumentRule = NonNullable<DocumentConfig['targeting_rules']>[number];

/** A rule of another product. */
export interface ForeignRule {
  readonly path: string;
  readonly name?: string;
  readonly audience: Audience;
  /** What its users get: one variation, or several by share. */
  readonly serve: string | readonly Share[];
}

interface RuleScope {
  /** Path of the flag in the document. */
  readonly path: string;
  readonly defaultVariation: string;
  /** What the product calls itself. */
  readonly product: string;
  readonly lose: (loss: Loss) => void;
}

const NAME_MAX = 200;

/**
 * Rules of another product as ours, in order. After a rule that cannot be expressed exactly, the users whom it may
 * have reached get the default variation, so that no later rule reaches them.
 */
export function writeRules(given: readonly ForeignRule[], scope: RuleScope): DocumentRule[] {
  const { defaultVariation, lose } = scope;
  // Rules at the end that serve the default variation say nothing.
  const last = given.reduce((found, { serve }, index) => (serve === defaultVariation ? found : index), -1);
  const rules = given.slice(0, last + 1);
  const written: DocumentRule[] = [];
  const add = (conditions: Conditions, target: object, name: string): void => {
    written.push({
      priority: written.length + 1,
      ...(name !== '' && { name: name.slice(0, NAME_MAX) }),
      conditions: [...conditions],
      ...target,
    });
  };
  for (const [index, rule] of rules.entries()) {
    const { audience, path, name = '' } = rule;
    const target = targetOf(rule, scope);
    for (const conditions of audience.sure) add(conditions, target, name);
    const reachesAll = (isExact(audience) ? audience.sure : audience.possible).some(
      (conditions) => conditions.length === 0,
    );
    const later = rules.slice(index + 1).filter((one) => one.serve !== defaultVariation);
    if (!isExact(audience) && later.length > 0) {
      if (reachesAll) loseLater(path, scope);
      else {
        const known = new Set(audience.sure.map((one) => JSON.stringify(one)));
        const unclear = audience.possible.filter((one) => !known.has(JSON.stringify(one)));
        for (const conditions of unclear) {
          add(
            conditions,
            { variation: defaultVariation },
            `Default for users of a rule that ${scope.product} decides`,
          );
        }
      }
    }
    if (reachesAll) break;
  }
  if (written.length <= LISTS_MAX.targeting_rules) return written;
  lose({
    code: 'rules-cut',
    path: scope.path,
    message: `The flag needs ${written.length} rules and a flag has at most ${LISTS_MAX.targeting_rules}. The rules after these are left out, and their users get the default variation.`,
    remedy: 'Combine rules before you export, or move long lists of users into segments.',
  });
  return written.slice(0, LISTS_MAX.targeting_rules);
}

function loseLater(path: string, { lose }: RuleScope): void {
  lose({
    code: 'rules-cut',
    path,
    message:
      'This rule cannot be expressed here and may reach anybody, so the rules after it are left out. Their users get the default variation.',
    remedy: 'Add those rules by hand, or change this rule before you export.',
  });
}

function targetOf({ serve, path }: ForeignRule, { defaultVariation, product, lose }: RuleScope): object {
  if (typeof serve === 'string') return { variation: serve };
  const { rollout, isRounded } = writeShares(serve, defaultVariation);
  lose({
    code: 'rollouts-reach-other-users',
    path,
    message: `${product} assigns users to buckets with a different hash. Shares stay the same but reach other users, and users without a user key get the default variation.`,
    remedy: 'Expect users to change variations once; no setting prevents it.',
  });
  if (isRounded) {
    lose({
      code: 'shares-rounded',
      path,
      message:
        'The shares are not whole percentages. They are rounded down, and what is left over gets the default variation.',
      remedy: 'Change the percentages after the import if the difference matters.',
    });
  }
  return { percentage_rollout: rollout, bucketing: 2 };
}
