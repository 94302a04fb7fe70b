import { Type } from 'typebox';

/** The parts of a configuration that can be promoted. */
export const PROMOTABLE = ['enabled', 'targeting_rules', 'default_variation', 'prerequisites'] as const;
export type Promotable = (typeof PROMOTABLE)[number];

const STRATEGIES = ['replace', 'merge_rules'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** The fields of a request that select the parts to promote and the strategy. */
export const promotionFields = {
  include: Type.Optional(
    Type.Array(Type.Enum([...PROMOTABLE]), {
      minItems: 1,
      maxItems: PROMOTABLE.length,
      description:
        'Parts to promote. Default: all except `enabled`, so that a promotion switches nothing on.',
    }),
  ),
  strategy: Type.Optional(
    Type.Enum([...STRATEGIES], {
      description: 'Default `replace`. `merge_rules` keeps rules that only the target has.',
    }),
  ),
};
