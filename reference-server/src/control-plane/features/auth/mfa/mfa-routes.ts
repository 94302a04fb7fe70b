import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data } from '../../../../http/envelope.ts';
import { Timestamp } from '../../../../http/schemas.ts';
import { actorOf, originOf } from '../../../access/request-actor.ts';
import { route } from '../../../endpoint/route.ts';
import { MfaCode, TokenSet } from '../auth-schemas.ts';
import type { MfaService } from './mfa-service.ts';

const tag = 'Authentication';

const RecoveryCodes = Data(
  Type.Object({
    recovery_codes: Type.Array(Type.String(), {
      description:
        'Ten codes, returned only in this answer. Each can be used once in place of a code of the app.',
    }),
  }),
);

const getMfa = route({
  access: 'session.own',
  operationId: 'getMfa',
  tag,
  summary: 'Read your second factor',
  description: 'Returns whether your login requires a code, and how many recovery codes are left.',
  answer: [
    200,
    Data(
      Type.Object({
        totp: Type.Enum(['off', 'pending', 'on'], {
          description: '`pending`: set up but not yet confirmed.',
        }),
        confirmed_at: Type.Union([Timestamp, Type.Null()]),
        recovery_codes_left: Type.Integer({ minimum: 0 }),
        required: Type.Boolean({
          description:
            'True when the organization requires a second factor. Without one, everything outside `/auth` answers 403 `MFA_ENROLLMENT_REQUIRED`.',
        }),
      }),
    ),
  ],
});

const startTotp = route({
  access: 'session.own',
  operationId: 'startTotp',
  tag,
  summary: 'Start setting up an authenticator app',
  description:
    'Creates a secret for the app. It takes effect when `POST /auth/mfa/totp/confirm` has confirmed it.',
  answer: [
    201,
    Data(
      Type.Object({
        secret: Type.String({ description: 'The secret in base32, for entry by hand.' }),
        otpauth_url: Type.String({ description: 'The secret and its parameters, for a QR code.' }),
      }),
    ),
  ],
  errors: ['REAUTHENTICATION_REQUIRED', 'MFA_ALREADY_ON'],
});

const confirmTotp = route({
  access: 'session.own',
  operationId: 'confirmTotp',
  tag,
  summary: 'Confirm the authenticator app',
  description:
    'Takes a first code of the app. From then on each login requires a code. Returns the recovery codes.',
  body: Type.Object({ code: MfaCode }),
  answer: [200, RecoveryCodes],
  errors: ['REAUTHENTICATION_REQUIRED', 'MFA_NOT_STARTED', 'MFA_ALREADY_ON', 'INVALID_MFA_CODE'],
});

const removeTotp = route({
  access: 'session.own',
  operationId: 'removeTotp',
  tag,
  summary: 'Remove your second factor',
  description: 'Removes the authenticator app and the recovery codes.',
  answer: [204],
  errors: ['REAUTHENTICATION_REQUIRED', 'MFA_NOT_ON'],
});

const renewRecoveryCodes = route({
  access: 'session.own',
  operationId: 'renewRecoveryCodes',
  tag,
  summary: 'Renew your recovery codes',
  description: 'Creates ten new recovery codes; the old ones stop working.',
  answer: [201, RecoveryCodes],
  errors: ['REAUTHENTICATION_REQUIRED', 'MFA_NOT_ON'],
});

const verifyMfa = route({
  access: 'public',
  limitByIp: true,
  operationId: 'verifyMfa',
  tag,
  summary: 'Complete a login with a second factor',
  description:
    'Exchanges the token of an `MFA_REQUIRED` answer and a code for an access token and a refresh token.',
  body: Type.Object({
    mfa_token: Type.String({
      minLength: 1,
      maxLength: 1_024,
      description: '`details.mfa_token` of the `MFA_REQUIRED` answer; valid for 5 minutes.',
    }),
    code: MfaCode,
  }),
  answer: [200, Data(TokenSet)],
  errors: ['INVALID_MFA_TOKEN', 'INVALID_MFA_CODE'],
});

/** `/auth/mfa/*` (decisions/0031). */
export const mfaRoutes: FastifyPluginAsyncTypebox<{ readonly mfa: MfaService }> = async (app, { mfa }) => {
  app.get('/auth/mfa', getMfa, async (request) => data(await mfa.status(actorOf(request))));

  app.post('/auth/mfa/totp', startTotp, async (request, reply) =>
    reply.code(201).send(data(await mfa.start(actorOf(request)))),
  );

  app.post('/auth/mfa/totp/confirm', confirmTotp, async (request) =>
    data(await mfa.confirm(actorOf(request), request.body.code)),
  );

  app.delete('/auth/mfa/totp', removeTotp, async (request, reply) => {
    await mfa.remove(actorOf(request));
    return reply.code(204).send();
  });

  app.post('/auth/mfa/recovery-codes', renewRecoveryCodes, async (request, reply) =>
    reply.code(201).send(data(await mfa.renewRecoveryCodes(actorOf(request)))),
  );

  app.post('/auth/mfa/verify', verifyMfa, async (request) =>
    data(await mfa.verify(request.body, originOf(request))),
  );
};
