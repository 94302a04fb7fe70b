import { ApiError } from '../../../http/errors.ts';
import type { Tx } from '../../../storage/database.ts';
import type { Guard, GuardedChange } from '../../write-gate/guard.ts';
import { servedEnvironments } from '../../write-gate/reach.ts';

/** Throws COMMENT_REQUIRED (422) for a change without a comment in an environment that has `require_comment`. */
export const commentGuard: Guard = { name: 'comment-required', check: requireComment };

async function requireComment(tx: Tx, { plan, call }: GuardedChange): Promise<undefined> {
  const reached = servedEnvironments(plan);
  if (reached.length === 0 || (call.comment ?? '').trim() !== '') return undefined;
  const strict = await tx
    .selectFrom('environments')
    .select('id')
    .where('id', 'in', reached)
    .where('require_comment', '=', 1)
    .executeTakeFirst();
  if (strict === undefined) return undefined;
  throw new ApiError('COMMENT_REQUIRED', {
    message: 'This environment requires a comment with every change: send "comment" or X-Change-Comment.',
    details: { field: 'comment', environment_id: strict.id },
  });
}
