import { ApiError } from '../../../http/errors.ts';
import type { Guard } from '../../write-gate/gate.ts';

/** Refuses, by COMMENT_REQUIRED (422), a change of an environment with `require_comment` that does not say why. */
export const requireComments: Guard = async (tx, { plan, call }) => {
  const reached = plan.environmentIds ?? [];
  if (reached.length === 0 || (call.comment ?? '').trim() !== '') return undefined;
  const strict = await tx
    .selectFrom('environments')
    .select('id')
    .where('id', 'in', reached)
    .where('require_comment', '=', 1)
    .executeTakeFirst();
  if (strict === undefined) return undefined;
  throw new ApiError('COMMENT_REQUIRED', {
    message: 'This environment wants a comment with every change: send "comment", or X-Change-Comment.',
    details: { field: 'comment', environment_id: strict.id },
  });
};
