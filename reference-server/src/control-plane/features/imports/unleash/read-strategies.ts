import { type Audience, allOf, EVERYONE, exactly, NOBODY, UNKNOWN } from '../elsewhere/audience.ts';
import { filled, oneOf } from '../elsewhere/comparisons.ts';
import { asFields, asList, asText, type Fields } from '../elsewhere/fields.ts';
import type { Share } from '../elsewhere/shares.ts';
import type { ForeignRule } from '../elsewhere/write-rules.ts';
import { attributeFor, type ConstraintScope, readAddresses, readConstraints } from './read-constraints.ts';
import { overridesOf, sharesOf, type UnleashVariations, variantsIn } from './read-variants.ts';

export interface StrategyScope extends ConstraintScope {
  /** The members of a segment, by its id. */
  readonly membersOf: (id: unknown) => Audience;
  readonly variations: UnleashVariations;
  /** The variants of the flag, for strategies without variants of their own. */
  readonly flagVariants: readonly Fields[];
}

interface Reach {
  readonly audience: Audience;
  /** The part of the audience that the strategy serves, between 0 and 1. */
  readonly part: number;
}

/**
 * The strategies of a flag as rules. In Unleash the flag is on if any strategy says so. Here the first rule that
 * matches decides, so strategies without a percentage come first, and then those with the highest percentage.
 */
export function readStrategies(strategies: readonly Fields[], scope: StrategyScope): readonly ForeignRule[] {
  const { path, lose } = scope;
  if (strategies.length === 0) {
    return servedBy({}, { audience: EVERYONE, part: 1 }, scope);
  }
  const read = strategies
    .map((strategy, index) => ({ strategy, index, own: { ...scope, path: `${path}.${index}` } }))
    .filter(({ strategy }) => strategy['disabled'] !== true)
    .map((one) => ({ ...one, reach: readStrategy(one.strategy, one.own) }))
    .filter(({ reach }) => reach.part > 0 && reach.audience.possible.length > 0);
  const isOrdered = read.some(({ strategy }) => variantsIn(strategy['variants']).length > 0);
  const ordered = isOrdered ? read : [...read].sort((one, other) => other.reach.part - one.reach.part);
  const blocking = ordered.slice(0, -1).find(({ reach }) => reach.part < 1);
  if (blocking !== undefined) {
    lose({
      code: 'rollouts-overlap',
      path: blocking.own.path,
      message:
        'In Unleash, a user that this percentage leaves out can still be in a later strategy. Here the first rule that matches decides, so the rollout reaches fewer users.',
      remedy: 'Make the rules exclude each other, or put the larger percentage first.',
    });
  }
  return ordered.flatMap(({ strategy, own, reach }) => {
    const rules = servedBy(strategy, reach, own);
    // Where all strategies serve the same, a later one takes nothing from users that an earlier one may have.
    return rules.map((rule) => (isOrdered ? rule : { ...rule, audience: exactly(rule.audience.sure) }));
  });
}

function readStrategy(strategy: Fields, scope: StrategyScope): Reach {
  const { path, membersOf } = scope;
  const constraints = readConstraints(strategy['constraints'], { ...scope, path: `${path}.constraints` });
  const segments = asList(strategy['segments']).map((one) => membersOf(asFields(one)?.['id'] ?? one));
  const { audience, part } = readKind(strategy, scope);
  return { audience: allOf([constraints, ...segments, audience]), part };
}

/** The users that a strategy of this name reaches, apart from its constraints and segments. */
function readKind(strategy: Fields, scope: StrategyScope): Reach {
  const name = asText(strategy['name']) ?? asText(strategy['strategyName']) ?? '';
  const parameters = asFields(strategy['parameters']) ?? {};
  const text = (key: string): string => {
    const value = parameters[key];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const whole = (audience: Audience): Reach => ({ audience, part: 1 });
  const part = (key: string): number => Math.min(1, Math.max(0, Number(text(key)) / 100 || 0));
  switch (name) {
    case 'default':
      return whole(EVERYONE);
    case 'flexibleRollout':
      return { audience: stickyTo(text('stickiness') || 'default', scope), part: part('rollout') };
    case 'gradualRolloutUserId':
      return { audience: exactly([[filled('user_key')]]), part: part('percentage') };
    case 'gradualRolloutSessionId':
      return { audience: stickyTo('sessionId', scope), part: part('percentage') };
    case 'gradualRolloutRandom':
      return { audience: stickyTo('random', scope), part: part('percentage') };
    case 'userWithId': {
      const ids = text('userIds') === '' ? [] : text('userIds').split(/\s*,\s*/);
      return whole(oneOf('user_key', ids));
    }
    case 'remoteAddress': {
      const ranges = text('IPs') === '' ? [] : text('IPs').split(/\s*,\s*/);
      return whole(readAddresses('remoteAddress', ranges, scope));
    }
    default:
      scope.lose({
        code: 'rule-left-out',
        path: scope.path,
        message: `The strategy ${name.slice(0, 60) || '(unnamed)'} runs code of its own, which an import does not have.`,
        remedy: 'Send what the strategy decides as an attribute of the context, and add a rule on it.',
      });
      return whole(UNKNOWN);
  }
}

/** The users that a rollout can reach: Unleash leaves out a user without the field that the rollout sticks to. */
function stickyTo(field: string, { path, lose }: StrategyScope): Audience {
  if (field === 'default') return EVERYONE;
  if (field === 'userId') return exactly([[filled('user_key')]]);
  const attribute = attributeFor(field);
  lose({
    code: 'bucketing-attribute-ignored',
    path,
    message:
      field === 'random'
        ? 'The rollout decides at random each time. Here the user key decides, so a user keeps the answer.'
        : `The rollout assigns buckets by ${field}. Here the user key decides.`,
    remedy: 'Expect other users in the rollout, or evaluate with that field as the user key.',
  });
  if (field === 'random') return EVERYONE;
  return attribute === undefined ? NOBODY : exactly([[filled(attribute)]]);
}

/** What a strategy serves its users: on, or one of the variants. */
function servedBy(strategy: Fields, { audience, part }: Reach, scope: StrategyScope): readonly ForeignRule[] {
  const { variations, flagVariants, path } = scope;
  const own = variantsIn(strategy['variants']);
  const variants = own.length > 0 ? own : flagVariants;
  const title = asText(strategy['title'])?.trim();
  const shared = { path, ...(title && { name: title }) };
  const serve = (shares: readonly Share[]): string | readonly Share[] => {
    const served = shares.filter((share) => share.part > 0);
    return served.length === 1 && served[0]!.part === 1 ? served[0]!.variation : served;
  };
  const main = {
    ...shared,
    audience,
    serve: serve(
      variants.length === 0 ? [{ variation: variations.on, part }] : sharesOf(variants, part, variations),
    ),
  };
  const forced = variants.flatMap((variant) =>
    overridesOf(variant).map(({ field, values }) => {
      const attribute = attributeFor(field);
      const chosen = attribute === undefined ? NOBODY : oneOf(attribute, values);
      return {
        ...shared,
        audience: allOf([audience, chosen]),
        serve: serve([{ variation: variations.keyOf(variant), part }]),
      };
    }),
  );
  return [...(hasWeight(variants) ? forced : []), main];
}

const hasWeight = (variants: readonly Fields[]): boolean =>
  variants.some((variant) => Number(variant['weight']) > 0);
