import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data } from '../../../http/envelope.ts';
import { ApiError } from '../../../http/errors.ts';
import type { Actor } from '../../access/actor.ts';
import { actorOf } from '../../access/request-actor.ts';
import { route } from '../../endpoint/route.ts';
import type { WriteGate } from '../../write-gate/change.ts';
import { toUserRecord, type UserRecord } from '../users/user-record.ts';
import type * as UserStore from '../users/user-store.ts';
import { FullName, User } from './auth-schemas.ts';
import { userPlan } from './sessions/open-session.ts';

/** What people change about themselves without a password. */
export interface ProfileService {
  /** Changes the actor's name. */
  update(actor: Actor, input: { readonly full_name: string }): Promise<UserRecord>;
}

export function createProfileService({
  gate,
  users,
}: {
  readonly gate: WriteGate;
  readonly users: typeof UserStore;
}): ProfileService {
  return {
    update: (actor, { full_name: name }) =>
      gate.applyChange(actor, {
        action: 'auth.profile_changed',
        permission: 'session.own',
        async plan(tx) {
          const user = await users.findUserById(tx, actor.id ?? '');
          if (user === undefined) throw new ApiError('INVALID_TOKEN');
          const full_name = name.trim();
          return {
            ...userPlan(user.id, user.email),
            before: { full_name: user.full_name ?? '' },
            after: { full_name },
            async write() {
              await users.setFullName(tx, user.id, full_name);
              return toUserRecord({ ...user, full_name }, actor.role);
            },
          };
        },
      }),
  };
}

const updateMe = route({
  access: 'session.own',
  operationId: 'updateMe',
  tag: 'Authentication',
  summary: 'Change your name',
  description:
    'Changes the name that others see beside your changes. Entries that the audit log has already keep the email.',
  body: Type.Object({ full_name: FullName }),
  answer: [200, Data(User)],
});

/** `PATCH /auth/me`. */
export const profileRoutes: FastifyPluginAsyncTypebox<{ readonly profiles: ProfileService }> = async (
  app,
  { profiles },
) => {
  app.patch('/auth/me', updateMe, async (request) =>
    data(await profiles.update(actorOf(request), request.body)),
  );
};
