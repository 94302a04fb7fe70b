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
      description: `True also revokes all personal tokens of the user, which someone with the old password may have created. Tokens of service accounts keep working. Default ${byDefault}.`,
    }),
  );

const forgotPassword = route({
  access: 'public',
  limitByIp: true,
  operationId: 'forgotPassword',
  tag,
  summary: 'Request a password reset',
  description:
    'Sends an email with a link that sets a new password. The answer is the same for unknown emails. A person gets at most five such emails an hour; further requests get the same answer. If the server cannot send email, the answer says how an operator resets the password.',
  body: Type.Object({ email: Email }),
  answer: [202, Data(Type.Object({ message: Type.String() }))],
});

const SENT = 'If the email is registered, a message is on its way.';
const CANNOT_SEND =
  'This server cannot send email. Ask its operator to run: flagsvc-server reset-password <email>';

const resetPassword = route({
  access: 'public',
  limitByIp: true,
  operationId: 'resetPassword',
  tag,
  summary: 'Reset a password',
  description: 'Sets a new password with the token from the email. Ends all sessions.',
  body: Type.Object({ token: MailedToken, password: NewPassword, revoke_tokens: revokeTokens(true) }),
  answer: [204],
  errors: ['INVALID_RESET_TOKEN', 'PASSWORD_TOO_COMMON'],
});

const changePassword = route({
  access: 'session.own',
  operationId: 'changePassword',
  tag,
  summary: 'Change your password',
  description: 'Sets a new password. Ends all other sessions.',
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
  summary: 'Confirm your password',
  description:
    'Checks the password (and a code, if you have a second factor), and marks the session as recently logged in. Some operations require a recent login.',
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
export const passwordRoutes: FastifyPluginAsyncTypebox<{ readonly passwords: PasswordService }> = async (
  app,
  { passwords },
) => {
  app.post('/auth/password/forgot', forgotPassword, async (request, reply) => {
    const canSend = passwords.forgot(request.body.email, originOf(request));
    return reply.code(202).send(data({ message: canSend ? SENT : CANNOT_SEND }));
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
