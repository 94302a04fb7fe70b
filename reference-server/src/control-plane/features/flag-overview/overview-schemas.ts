import { FLAG_TYPES } from '@flagsvc/sdk-core';
import { Type } from 'typebox';
import { Key, Timestamp } from '../../../http/schemas.ts';
import { CLASSIFICATIONS, STALE_REASONS } from '../flags/flag-schemas.ts';
import { HOURS } from './evaluation-hours.ts';
import { SERVING_STATES } from './serving-state.ts';

export const FLAG_STATUSES = ['draft', 'active', 'stale', 'archived'] as const;

const count = Type.Integer({ minimum: 0 });
const NullableText = Type.Union([Type.String(), Type.Null()]);
const NullableTime = Type.Union([Timestamp, Type.Null()]);

const EnvironmentState = Type.Object({
  environment_id: Type.String(),
  environment_key: Key,
  enabled: Type.Boolean(),
  state: Type.Enum([...SERVING_STATES], {
    description:
      '`off`: switched off, everyone gets the default variation. `on`: everyone gets one variation. `share`: the first ' +
      'rule divides everyone by percentages. `rules`: the variation depends on conditions or prerequisites.',
  }),
  default_variation: Type.String({
    description: 'The variation for everyone else, and for everyone while the flag is off.',
  }),
  variation: Type.Union([Type.String(), Type.Null()], {
    description: 'The variation for everyone, or the one with the largest share; null with `rules`.',
  }),
  percentage: Type.Union([Type.Integer({ minimum: 0, maximum: 100 }), Type.Null()], {
    description: 'The largest share in percent; null unless `state` is `share`.',
  }),
  rollout: Type.Array(
    Type.Object({ variation: Type.String(), percentage: Type.Integer({ minimum: 0, maximum: 100 }) }),
    {
      description:
        'With `share`: the shares, largest first. With `rules`: what those get whose prerequisites hold, if the first ' +
        'rule applies to all of them. Otherwise empty.',
    },
  ),
  rules_count: count,
  prerequisites_count: count,
  last_evaluated_at: NullableTime,
  updated_at: Timestamp,
});

export const OverviewFlag = Type.Object({
  id: Type.String(),
  key: Key,
  name: Type.String(),
  flag_type: Type.Enum([...FLAG_TYPES]),
  status: Type.Enum([...FLAG_STATUSES]),
  classification: Type.Union([Type.Enum([...CLASSIFICATIONS]), Type.Null()]),
  tags: Type.Array(Type.String()),
  permanent: Type.Boolean(),
  owner: Type.Union(
    [Type.Object({ id: Type.String(), email: Type.String(), full_name: NullableText }), Type.Null()],
    { description: 'Null if the flag has no owner, or its owner is no longer a member.' },
  ),
  stale_reasons: Type.Array(Type.Enum([...STALE_REASONS])),
  stale_since: NullableTime,
  last_evaluated_at: Type.Union([Timestamp, Type.Null()], {
    description: 'The hour of the last reported evaluation in any environment; up to a minute behind.',
  }),
  created_at: Timestamp,
  updated_at: { ...Timestamp, description: 'The last change in any environment.' },
  environments: Type.Array(EnvironmentState, {
    description: 'The flag in each environment, by the position of the environment.',
  }),
  evaluations: Type.Optional(
    Type.Object(
      {
        total: count,
        by_hour: Type.Array(count, { description: `${HOURS} counts, oldest hour first.` }),
      },
      {
        description:
          'With `include=evaluations` only: reported evaluations in the current hour and the 23 before it, in all ' +
          'environments.',
      },
    ),
  ),
});

export const FlagViewCounts = Type.Object({
  all: count,
  mine: Type.Integer({ minimum: 0, description: 'Flags that you own.' }),
  changed: Type.Integer({ minimum: 0, description: 'Flags that changed since `changed_since`.' }),
  stale: count,
  stale_mine: Type.Integer({ minimum: 0, description: 'Stale flags that you own.' }),
  kill_switches: Type.Integer({ minimum: 0, description: 'Flags with the classification `ops_killswitch`.' }),
  partly_rolled_out: Type.Integer({
    minimum: 0,
    description: 'Flags with the state `share` in at least one environment.',
  }),
});
