import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data } from '../../../http/envelope.ts';
import { type Actor, SERVICE_ACCOUNT_KINDS } from '../../access/actor.ts';
import { actorOf, originOf } from '../../access/request-actor.ts';
import { ROLES } from '../../access/roles.ts';
import { route } from '../../endpoint/route.ts';
import { Email, FullName, NewPassword, Password, User } from './auth-schemas.ts';
import type { AuthService, MeRecord } from './auth-service.ts';
import type { SessionService } from './sessions/session-service.ts';

const Me = Type.Object({
  ...User.properties,
  id: Type.String({ description: '`usr_` and an opaque string; of a service account `svc_`.' }),
  kind: Type.Enum(['user', ...SERVICE_ACCOUNT_KINDS]),
  email: Type.Union([Type.String(), Type.Null()], { description: 'Null for service accounts.' }),
  full_name: Type.String({ description: 'Empty when none was given; the name of a service account.' }),
  last_login_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  organizations: Type.Array(
    Type.Object({ id: Type.String(), name: Type.String(), role: Type.Enum([...ROLES]) }),
  ),
});

const AccessToken = Type.Object({
  access_token: Type.String({ description: 'JWT.' }),
  token_type: Type.Literal('bearer'),
  expires_in: Type.Integer({ description: 'Seconds until the access token expires.' }),
});

/** "Token set" of the specification. */
export const TokenSet = Type.Object({
  ...AccessToken.properties,
  refresh_token: Type.String({
    description: '`rt_` and an opaque string; good for 30 days or until logout.',
  }),
});

const RegisterBody = Type.Object({
  email: Email,
  password: NewPassword,
  full_name: Type.Optional(FullName),
});

const LoginBody = Type.Object({
  email: Type.String({ maxLength: 254 }),
  password: Password,
});

/** Longer than a refresh token is: whoever sends an access token is told that it is none. */
const RefreshBody = Type.Object({ refresh_token: Type.String({ minLength: 1, maxLength: 8_192 }) });

const register = route({
  access: 'public',
  limitByIp: true,
  operationId: 'register',
  tag: 'Authentication',
  summary: 'Create a user; the first one of an installation becomes admin',
  body: RegisterBody,
  answer: [201, Data(User)],
  errors: [
    'EMAIL_ALREADY_EXISTS',
    'PASSWORD_TOO_COMMON',
    'REGISTRATION_CLOSED',
    'EMAIL_DOMAIN_NOT_ALLOWED',
    'ORGANIZATION_SUSPENDED',
  ],
});

const login = route({
  access: 'public',
  limitByIp: true,
  operationId: 'login',
  tag: 'Authentication',
  summary: 'Exchange an e-mail and a password for an access token and a refresh token',
  body: LoginBody,
  answer: [200, Data(TokenSet)],
  errors: ['INVALID_CREDENTIALS', 'MFA_REQUIRED'],
});

const getMe = route({
  access: 'user.read',
  operationId: 'getMe',
  tag: 'Authentication',
  summary: 'Read who the access token speaks for',
  answer: [200, Data(Me)],
});

const refresh = route({
  access: 'public',
  limitByIp: true,
  operationId: 'refresh',
  tag: 'Authentication',
  summary: 'Exchange a refresh token for a new access token',
  body: RefreshBody,
  answer: [200, Data(AccessToken)],
  errors: ['INVALID_REFRESH_TOKEN'],
});

const logout = route({
  access: 'session.own',
  operationId: 'logout',
  tag: 'Authentication',
  summary: 'End the session: its access token and its refresh token are refused from now on',
  answer: [204],
});

/** `/auth/*` ("Endpoints"). */
export const authRoutes: FastifyPluginAsyncTypebox<{
  auth: AuthService;
  sessions: SessionService;
  /** Knows the service accounts. */
  serviceAccounts: { me(actor: Actor): Promise<MeRecord> };
}> = async (app, { auth, sessions, serviceAccounts }) => {
  app.post('/auth/register', register, async (request, reply) => {
    const user = await auth.register(request.body, originOf(request));
    return reply.code(201).send(data(user));
  });

  app.post('/auth/login', login, async (request) => data(await auth.login(request.body, originOf(request))));

  app.get('/auth/me', getMe, async (request) => {
    const actor = actorOf(request);
    return data(await (actor.kind === 'user' ? auth : serviceAccounts).me(actor));
  });

  app.post('/auth/refresh', refresh, async (request) =>
    data(await auth.refresh(request.body.refresh_token, originOf(request))),
  );

  app.post('/auth/logout', logout, async (request, reply) => {
    await sessions.logout(actorOf(request));
    return reply.code(204).send();
  });
};
