import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data } from '../../../../http/envelope.ts';
import { Timestamp } from '../../../../http/schemas.ts';
import { actorOf, originOf } from '../../../access/request-actor.ts';
import { route } from '../../../endpoint/route.ts';
import { Email, MailedToken, MfaCode, NewPassword, Password } from '../auth-schemas.ts';
import type { PasswordService } from './password-service.ts';

const tag = 'Authentication';

const revokeTokens = (byDefault: boolean) =>
  Type.Optional(
    Type.Boolean({
      description: `True also revokes all personal tokens of the user: somebody who knew the old password may have made one. Service accounts keep theirs. Default ${byDefault}.`,
    }),
  );

const forgotPassword = route({
  access: 'public',
  limitByIp: true,
  operationId: 'forgotPassword',
  tag,
  summary: 'Ask for a message that sets a new password; the answer is the same for every e-mail',
  body: Type.Object({ email: Email }),
  answer: [202, Data(Type.Object({ message: Type.String() }))],
});

const resetPassword = route({
  access: 'public',
  limitByIp: true,
  operationId: 'resetPassword',
  tag,
  summary: 'Set a new password with the token of a message; ends all sessions',
  body: Type.Object({ token: MailedToken, password: NewPassword, revoke_tokens: revokeTokens(true) }),
  answer: [204],
  errors: ['INVALID_RESET_TOKEN', 'PASSWORD_TOO_COMMON'],
});

const changePassword = route({
  access: 'session.own',
  operationId: 'changePassword',
  tag,
  summary: 'Set a new password; ends all other sessions',
  body: Type.Object({
    current_password: Password,
    new_password: NewPassword,
    revoke_tokens: revokeTokens(false),
  }),
  answer: [204],
  errors: ['INVALID_CREDENTIALS', 'PASSWORD_TOO_COMMON'],
});

const reauthenticate = route({
  access: 'session.own',
  operationId: 'reauthenticate',
  tag,
  summary: 'Give the password again, for what asks for a recent login',
  body: Type.Object({
    password: Password,
    code: Type.Optional(MfaCode),
  }),
  answer: [
    200,
    Data(
      Type.Object({
        authenticated_at: Timestamp,
        valid_until: Type.String({ format: 'date-time', description: '5 minutes later.' }),
      }),
    ),
  ],
  errors: ['INVALID_CREDENTIALS', 'MFA_REQUIRED', 'INVALID_MFA_CODE'],
});

/** `/auth/password/*` and `/auth/reauthenticate`. */
export const passwordRoutes: FastifyPluginAsyncTypebox<{ passwords: PasswordService }> = async (
  app,
  { passwords },
) => {
  app.post('/auth/password/forgot', forgotPassword, async (request, reply) => {
    passwords.forgot(request.body.email, originOf(request));
    return reply.code(202).send(data({ message: 'If the e-mail is registered, a message is on its way.' }));
  });

  app.post('/auth/password/reset', resetPassword, async (request, reply) => {
    await passwords.reset(request.body, originOf(request));
    return reply.code(204).send();
  });

  app.post('/auth/password/change', changePassword, async (request, reply) => {
    await passwords.change(actorOf(request), request.body);
    return reply.code(204).send();
  });

  app.post('/auth/reauthenticate', reauthenticate, async (request) =>
    data(await passwords.reauthenticate(actorOf(request), request.body)),
  );
};
