import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data } from '../../../http/envelope.ts';
import { type Actor, SERVICE_ACCOUNT_KINDS } from '../../access/actor.ts';
import { actorOf, originOf } from '../../access/request-actor.ts';
import { route } from '../../endpoint/route.ts';
import { EnvironmentIds, GrantedRoles, Role } from '../users/rights-schemas.ts';
import { Email, FullName, NewPassword, Password, RefreshedToken, TokenSet, User } from './auth-schemas.ts';
import type { AuthService, MeRecord } from './auth-service.ts';
import type { SessionService } from './sessions/session-service.ts';

const Me = Type.Object({
  ...User.properties,
  id: Type.String({ description: '`usr_` and an opaque string; `svc_` for a service account.' }),
  kind: Type.Enum(['user', ...SERVICE_ACCOUNT_KINDS]),
  email: Type.Union([Type.String(), Type.Null()], { description: 'Null for service accounts.' }),
  full_name: Type.String({ description: 'Empty when none was given; the name of a service account.' }),
  last_login_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  organizations: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      role: Role,
      environment_ids: EnvironmentIds,
      project_roles: GrantedRoles,
    }),
  ),
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

/** The limit admits an access token, so that sending one by mistake gets INVALID_REFRESH_TOKEN. */
const RefreshBody = Type.Object({ refresh_token: Type.String({ minLength: 1, maxLength: 8_192 }) });

const tag = 'Authentication';

const register = route({
  access: 'public',
  limitByIp: true,
  operationId: 'register',
  tag,
  summary: 'Register a user',
  description: 'Creates a user. The first user of an installation becomes admin.',
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
  tag,
  summary: 'Log in',
  description:
    'Exchanges an email and a password for an access token and a refresh token. A user with a second factor gets ' +
    '`MFA_REQUIRED` with a token for `POST /auth/mfa/verify`.',
  body: LoginBody,
  answer: [200, Data(TokenSet)],
  errors: ['INVALID_CREDENTIALS', 'MFA_REQUIRED'],
});

const getMe = route({
  access: 'user.read',
  operationId: 'getMe',
  tag,
  summary: 'Read the owner of the token',
  description:
    'Returns the user or service account of the bearer token, with its rights in each of its organizations.',
  answer: [200, Data(Me)],
});

const refresh = route({
  access: 'public',
  limitByIp: true,
  operationId: 'refresh',
  tag,
  summary: 'Refresh an access token',
  description: 'Exchanges a refresh token for a new access token. The refresh token stays valid.',
  body: RefreshBody,
  answer: [200, Data(RefreshedToken)],
  errors: ['INVALID_REFRESH_TOKEN'],
});

const logout = route({
  access: 'session.own',
  operationId: 'logout',
  tag,
  summary: 'Log out',
  description: 'Ends the session: its access tokens and its refresh token stop working at once.',
  answer: [204],
});

/** Reads the service account that acts. */
export interface ServiceAccountReader {
  me(actor: Actor): Promise<MeRecord>;
}

/** `/auth/*` ("Endpoints"). */
export const authRoutes: FastifyPluginAsyncTypebox<{
  readonly auth: AuthService;
  readonly sessions: SessionService;
  readonly serviceAccounts: ServiceAccountReader;
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
