import { FLAG_TYPES } from '@flagsvc/sdk-core';
import { type Static, Type } from 'typebox';
import { invalid } from '../../../../http/errors.ts';
import { Comment, Id, Tags, Timestamp } from '../../../../http/schemas.ts';
import { promotionFields } from '../../promotions/promotion-schemas.ts';
import { CLASSIFICATIONS, STATUS_FILTERS } from '../flag-schemas.ts';

const ACTIONS = [
  'toggle',
  'archive',
  'restore',
  'add_tags',
  'remove_tags',
  'set_owner',
  'mark_stale',
  'unmark_stale',
  'promote',
] as const;

export const BulkBody = Type.Object({
  action: Type.Enum([...ACTIONS]),
  environment_id: Id,
  flag_ids: Type.Optional(
    Type.Array(Id, {
      minItems: 1,
      maxItems: 100,
      description: 'The flags to change; leave it out if you give a `filter`.',
    }),
  ),
  filter: Type.Optional(
    Type.Object(
      {
        status: Type.Optional(Type.Enum([...STATUS_FILTERS])),
        flag_type: Type.Optional(Type.Enum([...FLAG_TYPES])),
        search: Type.Optional(Type.String({ maxLength: 200 })),
        tag: Type.Optional(Type.String({ maxLength: 100 })),
        classification: Type.Optional(Type.Enum([...CLASSIFICATIONS])),
        owner_id: Type.Optional(Id),
      },
      {
        description:
          'Selects the flags to change, with the filters of the list of flags. Use it instead of `flag_ids`, together with `expected_count`.',
      },
    ),
  ),
  expected_count: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Number of flags that the filter must match; any other number is refused with 422.',
    }),
  ),
  params: Type.Optional(
    Type.Object({
      enabled: Type.Optional(Type.Boolean({ description: 'For `toggle`.' })),
      tags: Type.Optional({ ...Tags, description: 'For `add_tags` and `remove_tags`.' }),
      owner_id: Type.Optional(
        Type.Union([Id, Type.Null()], { description: 'For `set_owner`; null: no owner.' }),
      ),
      snooze_until: Type.Optional({
        ...Timestamp,
        description: 'For `unmark_stale`: the nightly job does not mark the flags as stale before this time.',
      }),
      target_environment_id: Type.Optional({ ...Id, description: 'For `promote`.' }),
      ...promotionFields,
    }),
  ),
  atomic: Type.Optional(
    Type.Boolean({
      description: 'True changes all flags or none. Default false: each flag succeeds or fails on its own.',
    }),
  ),
  comment: Type.Optional(Comment),
});
export type BulkBody = Static<typeof BulkBody>;

export const BulkResult = Type.Object({
  flag_id: Type.String(),
  status: Type.Enum(['ok', 'skipped', 'error'], {
    description: '`skipped`: the flag was already as requested.',
  }),
  code: Type.Union([Type.String(), Type.Null()], {
    description: 'Error code; null unless the status is `error`.',
  }),
});
export type BulkResult = Static<typeof BulkResult>;

const NEEDED = {
  toggle: 'enabled',
  add_tags: 'tags',
  remove_tags: 'tags',
  set_owner: 'owner_id',
  promote: 'target_environment_id',
} as const;

/**
 * Throws VALIDATION_ERROR when the body lacks a parameter of the action, or has both or neither of `flag_ids` and
 * `filter`.
 */
export function checkBulk({ action, params, flag_ids, filter, expected_count }: BulkBody): void {
  const need = (field: string) =>
    invalid({ field, location: 'body', code: 'required', message: 'is required' });
  const needed = (NEEDED as Partial<Record<string, keyof NonNullable<BulkBody['params']>>>)[action];
  if (needed !== undefined && params?.[needed] === undefined) throw need(`params.${needed}`);
  if ((flag_ids === undefined) === (filter === undefined)) {
    throw invalid({ field: '', location: 'body', code: 'oneOf', message: 'needs either flag_ids or filter' });
  }
  if (filter !== undefined && expected_count === undefined) throw need('expected_count');
}
