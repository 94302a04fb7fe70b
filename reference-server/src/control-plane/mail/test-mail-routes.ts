import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data } from '../../http/envelope.ts';
import { actorOf } from '../access/request-actor.ts';
import { route } from '../endpoint/route.ts';
import { Email } from '../features/auth/auth-schemas.ts';
import type { TestMail } from './test-mail.ts';

const sendTestMail = route({
  access: 'organization.update',
  rateCategory: 'bulk',
  operationId: 'sendTestMail',
  tag: 'Instance',
  summary: 'Send a test email',
  description:
    'Sends an email to the address now and returns what the mail server said. Use it to check `FLAGSVC_SMTP_URL` and `FLAGSVC_MAIL_FROM`. The answer is 200 also when the email was not sent; `explanation` then says why. Takes up to a minute if the mail server does not answer.',
  body: Type.Object({ email: Email }),
  answer: [
    200,
    Data(
      Type.Object({
        sent: Type.Boolean({ description: 'True when the mail server has accepted the email.' }),
        explanation: Type.String({ description: 'What happened, and what to do about it.' }),
        answer: Type.Union([Type.String(), Type.Null()], {
          description: 'The last answer of the mail server; null if there was none.',
        }),
      }),
    ),
  ],
  errors: ['ORGANIZATION_SUSPENDED'],
});

/** `/instance/test-mail`. */
export const mailRoutes: FastifyPluginAsyncTypebox<{ readonly testMail: TestMail }> = async (
  app,
  { testMail },
) => {
  app.post('/instance/test-mail', sendTestMail, async (request) =>
    data(await testMail(actorOf(request), request.body.email)),
  );
};
