import { FLAG_TYPES } from '@flagsvc/sdk-core';
import { type Static, Type } from 'typebox';
import { invalid } from '../../../../http/errors.ts';
import { Comment, Id, Tags } from '../../../../http/schemas.ts';
import { promotionFields } from '../../promotions/promote-plan.ts';
import { CLASSIFICATIONS, STATUS_FILTERS } from '../flag-schemas.ts';

const ACTIONS = [
  'toggle',
  'archive',
  'restore',
  'add_tags',
  'remove_tags',
  'set_owner',
  'mark_stale',
  'promote',
] as const;

export const BulkBody = Type.Object({
  action: Type.Enum([...ACTIONS]),
  environment_id: Id,
  flag_ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 100 })),
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
      { description: 'As in the list of flags; in place of `flag_ids`, and with `expected_count`.' },
    ),
  ),
  expected_count: Type.Optional(
    Type.Integer({ minimum: 0, description: 'How many flags the filter must find; else 422.' }),
  ),
  params: Type.Optional(
    Type.Object({
      enabled: Type.Optional(Type.Boolean({ description: 'toggle' })),
      tags: Type.Optional(Tags),
      owner_id: Type.Optional(Type.Union([Id, Type.Null()])),
      target_environment_id: Type.Optional(Id),
      ...promotionFields,
    }),
  ),
  atomic: Type.Optional(Type.Boolean({ description: 'All or none; default false: each flag on its own.' })),
  comment: Type.Optional(Comment),
});
export type BulkBody = Static<typeof BulkBody>;

export const BulkResult = Type.Object({
  flag_id: Type.String(),
  status: Type.Enum(['ok', 'skipped', 'error'], { description: '`skipped`: it was so already.' }),
  code: Type.Union([Type.String(), Type.Null()], { description: 'The code of the error.' }),
});
export type BulkResult = Static<typeof BulkResult>;

const NEEDED = {
  toggle: 'enabled',
  add_tags: 'tags',
  remove_tags: 'tags',
  set_owner: 'owner_id',
  promote: 'target_environment_id',
} as const;

/** Throws VALIDATION_ERROR for what the action needs and lacks, or unless exactly one way to name flags is used. */
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
