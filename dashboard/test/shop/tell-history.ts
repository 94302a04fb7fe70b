import type { Api } from '../../../reference-server/test/api.ts';
import type { Body } from '../../../reference-server/test/api-call.ts';
import type { PersonKey } from './people.ts';
import type { Event } from './story.ts';
import { DAY_MS, type EnvironmentKey, HOUR_MS, MINUTE_MS, type World } from './world.ts';

type Instruction = Body<'PATCH /flags/{flag_id}'>['instructions'][number];
type Flag = Awaited<ReturnType<Api['flags']['getByKey']>>;

interface Edit {
  readonly agoMs: number;
  readonly by: PersonKey;
  readonly flag: string;
  readonly where: EnvironmentKey;
  readonly comment?: string;
  /** From the flag as it is. */
  readonly instructions: (flag: Flag) => readonly Instruction[];
}

const rollout = (index: number, ...shares: readonly (readonly [string, number])[]) => {
  const percentage_rollout = shares.map(([variation, percentage]) => ({ variation, percentage }));
  return (flag: Flag): readonly Instruction[] => [
    { op: 'set_rollout', rule_id: flag.targeting_rules[index]!.id, percentage_rollout },
  ];
};
const needs = (flag_key: string, variation: string) => (): readonly Instruction[] => [
  { op: 'add_prerequisite', flag_key, variation },
];
const describe = (description: string) => (): readonly Instruction[] => [
  { op: 'set_description', description },
];

const edits: readonly Edit[] = [
  {
    agoMs: 33.5 * DAY_MS,
    by: 'editor',
    flag: 'checkout-layout',
    where: 'production',
    instructions: describe(
      'One page for the whole checkout. Ends when the old one has no orders for a week.',
    ),
  },
  ...(['development', 'staging', 'production'] as const).map(
    (where): Edit => ({
      agoMs: 33 * DAY_MS,
      by: 'editor',
      flag: 'checkout-layout',
      where,
      instructions: needs('cart-drawer', 'on'),
    }),
  ),
  {
    agoMs: 20 * DAY_MS,
    by: 'editor',
    flag: 'loyalty-at-checkout',
    where: 'production',
    instructions: needs('checkout-layout', 'one-page'),
  },
  {
    agoMs: 4 * DAY_MS,
    by: 'admin',
    flag: 'checkout-layout',
    where: 'production',
    comment: 'Orders hold, go on',
    instructions: rollout(0, ['one-page', 40], ['classic', 60]),
  },
  {
    agoMs: 26 * HOUR_MS,
    by: 'editor',
    flag: 'checkout-layout',
    where: 'staging',
    comment: '4.1 crashes on the new layout',
    instructions: ({ targeting_rules: rules }) => [
      {
        op: 'update_rule',
        rule_id: rules[3]!.id,
        rule: {
          ...rules[3]!,
          conditions: [rules[3]!.conditions[0]!, { ...rules[3]!.conditions[1]!, value: '4.2.0' }],
        },
      },
    ],
  },
  {
    agoMs: 2 * HOUR_MS,
    by: 'secondAdmin',
    flag: 'account-passkeys',
    where: 'staging',
    instructions: rollout(0, ['on', 50], ['off', 50]),
  },
  {
    agoMs: 40 * MINUTE_MS,
    by: 'keptEditor',
    flag: 'search-suggestions',
    where: 'development',
    instructions: () => [
      {
        op: 'add_rule',
        rule: {
          name: 'Belgium',
          conditions: [{ attribute: 'country', operator: 'is', value: 'BE' }],
          variation: 'on',
        },
      },
    ],
  },
  {
    agoMs: 6 * MINUTE_MS,
    by: 'editor',
    flag: 'express-pay-buttons',
    where: 'staging',
    instructions: needs('checkout-layout', 'one-page'),
  },
];

/** What people changed after the flags were made. */
export function tellHistory(world: World): readonly Event[] {
  return edits.map((edit) => ({ agoMs: edit.agoMs, run: () => makeEdit(world, edit) }));
}

async function makeEdit(world: World, { by, flag: key, where, comment, instructions }: Edit): Promise<void> {
  const api = (await world.as(by)).in(world.environments[where]);
  const flag = await api.flags.getByKey(key);
  await api.flags.patch(flag.id, { instructions: [...instructions(flag)], ...(comment && { comment }) });
}
