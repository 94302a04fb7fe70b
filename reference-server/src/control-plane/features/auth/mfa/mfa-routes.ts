import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data } from '../../../../http/envelope.ts';
import { Timestamp } from '../../../../http/schemas.ts';
import { actorOf, originOf } from '../../../access/request-actor.ts';
import { route } from '../../../endpoint/route.ts';
import { TokenSet } from '../auth-routes.ts';
import { MfaCode } from '../auth-schemas.ts';
import type { MfaService } from './mfa-service.ts';

const tag = 'Authentication';

const RecoveryCodes = Data(
  Type.Object({
    recovery_codes: Type.Array(Type.String(), {
      description: 'Ten, in this answer only. Each stands once for a code of the app.',
    }),
  }),
);

const getMfa = route({
  access: 'session.own',
  operationId: 'getMfa',
  tag,
  summary: 'Say whether a login of yours asks for a code',
  answer: [
    200,
    Data(
      Type.Object({
        totp: Type.Enum(['off', 'pending', 'on'], { description: '`pending`: made and not confirmed.' }),
        confirmed_at: Type.Union([Timestamp, Type.Null()]),
        recovery_codes_left: Type.Integer({ minimum: 0 }),
        required: Type.Boolean({
          description:
            'The organization requires one: without it, all that is open is under `/auth` (403 `MFA_ENROLLMENT_REQUIRED`).',
        }),
      }),
    ),
  ],
});

const startTotp = route({
  access: 'session.own',
  operationId: 'startTotp',
  tag,
  summary: 'Make a secret for an authenticator app; it counts once it is confirmed',
  answer: [
    201,
    Data(
      Type.Object({
        secret: Type.String({ description: 'Base32, to be typed in.' }),
        otpauth_url: Type.String({ description: 'The same and more, to be shown as a QR code.' }),
      }),
    ),
  ],
  errors: ['REAUTHENTICATION_REQUIRED', 'MFA_ALREADY_ON'],
});

const confirmTotp = route({
  access: 'session.own',
  operationId: 'confirmTotp',
  tag,
  summary: 'Give the first code of the app: from now on a login asks for one',
  body: Type.Object({ code: MfaCode }),
  answer: [200, RecoveryCodes],
  errors: ['REAUTHENTICATION_REQUIRED', 'MFA_NOT_STARTED', 'MFA_ALREADY_ON', 'INVALID_MFA_CODE'],
});

const removeTotp = route({
  access: 'session.own',
  operationId: 'removeTotp',
  tag,
  summary: 'Remove the second factor, and the recovery codes with it',
  answer: [204],
  errors: ['REAUTHENTICATION_REQUIRED', 'MFA_NOT_ON'],
});

const renewRecoveryCodes = route({
  access: 'session.own',
  operationId: 'renewRecoveryCodes',
  tag,
  summary: 'Make ten new recovery codes in the place of the old ones',
  answer: [201, RecoveryCodes],
  errors: ['REAUTHENTICATION_REQUIRED', 'MFA_NOT_ON'],
});

const verifyMfa = route({
  access: 'public',
  limitByIp: true,
  operationId: 'verifyMfa',
  tag,
  summary: 'End a login that wants a second factor: its token and a code for a token set',
  body: Type.Object({
    mfa_token: Type.String({
      minLength: 1,
      maxLength: 1_024,
      description: '`details.mfa_token` of that answer; good for 5 minutes.',
    }),
    code: MfaCode,
  }),
  answer: [200, Data(TokenSet)],
  errors: ['INVALID_MFA_TOKEN', 'INVALID_MFA_CODE'],
});

/** `/auth/mfa/*` (decisions/0031). */
export const mfaRoutes: FastifyPluginAsyncTypebox<{ mfa: MfaService }> = async (app, { mfa }) => {
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
