import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type TInteger, Type } from 'typebox';
import { Data, data } from '../../../http/envelope.ts';
import { ApiError } from '../../../http/errors.ts';
import { RATE_LIMITS, type RateCategory, type RateLimits } from '../../../http/rate-limits.ts';
import { Timestamp } from '../../../http/schemas.ts';
import {
  DEPLOYMENT_MODES,
  type DeploymentMode,
  REGISTRATION_MODES,
  type RegistrationMode,
} from '../../../lib/deployment-modes.ts';
import { route } from '../../endpoint/route.ts';
import { CAPABILITIES, type CapabilityName, includesMode, missingRoutes } from './capabilities.ts';
import type { InstanceStatus } from './instance-status.ts';

/** What an installation publishes about itself. */
export interface Instance {
  readonly version: string;
  readonly mode: DeploymentMode;
  readonly registration: RegistrationMode;
  /** Requests a minute. */
  readonly limits: RateLimits;
  /** Whether anybody has registered. The first user becomes the admin. */
  hasUsers(): Promise<boolean>;
  readonly readStatus: () => Promise<InstanceStatus>;
}

const ModeName = Type.Enum([...DEPLOYMENT_MODES]);
const CATEGORIES = Object.keys(RATE_LIMITS) as RateCategory[];
const RateLimitsSchema = Type.Object(
  Object.fromEntries(CATEGORIES.map((name) => [name, Type.Integer()])) as Record<RateCategory, TInteger>,
  {
    description:
      'Requests per minute: `auth` and `credentials` (invalid ones) for each address, `management` for each organization, `bulk` for each user, `evaluation` for each environment, `ruleset`, `events` and `stream` for each API key. The operator sets them with `FLAGSVC_RATE_LIMITS`. An API key can have its own (`rate_limits`).',
  },
);
const tag = 'Instance';

const getInstance = route({
  access: 'public',
  operationId: 'getInstance',
  tag,
  summary: 'Read the installation',
  description:
    'Returns what a client needs before a login: version, deployment mode, how users register, and the rate limits.',
  answer: [
    200,
    Data(
      Type.Object({
        version: Type.String(),
        mode: ModeName,
        registration: Type.Enum([...REGISTRATION_MODES]),
        sso_enabled: Type.Boolean(),
        rate_limits: RateLimitsSchema,
        has_users: Type.Boolean({
          description: 'False until the first user registers, who becomes the admin.',
        }),
      }),
    ),
  ],
});

const NullableTime = Type.Union([Timestamp, Type.Null()]);

const getInstanceStatus = route({
  access: 'organization.update',
  operationId: 'getInstanceStatus',
  tag,
  summary: 'Read the state of the installation',
  description:
    'Returns for admins which database the server uses, whether it can send email and how many emails wait, on which port it serves metrics, and when its nightly jobs ran.',
  answer: [
    200,
    Data(
      Type.Object({
        database: Type.Object({ engine: Type.Enum(['sqlite', 'postgresql']), version: Type.String() }),
        mail: Type.Object({
          configured: Type.Boolean({ description: 'Whether `FLAGSVC_SMTP_URL` is set.' }),
          waiting: Type.Integer({ description: 'Emails that wait to be sent.' }),
          oldest_at: Type.Union([Timestamp, Type.Null()], {
            description: 'When the oldest waiting email was written.',
          }),
        }),
        metrics_port: Type.Union([Type.Integer(), Type.Null()], {
          description: 'The port of `/metrics` (`FLAGSVC_METRICS_PORT`); null if it is not served.',
        }),
        nightly_jobs: Type.Array(
          Type.Object({
            name: Type.String(),
            last_run_at: NullableTime,
            due_at: Timestamp,
            late: Type.Boolean({ description: 'True when the job was due more than an hour ago.' }),
          }),
        ),
      }),
    ),
  ],
});

const Capability = Type.Object({
  available: Type.Boolean(),
  reason: Type.Union([Type.Enum(['mode', 'license']), Type.Null()], {
    description: 'Why the feature is not available; null when it is available.',
  }),
  required_mode: ModeName,
});

const getCapabilities = route({
  access: 'instance.read',
  operationId: 'getCapabilities',
  tag,
  summary: 'List capabilities',
  description:
    'Returns for each feature whether this installation has it, and which deployment mode the feature requires.',
  answer: [200, Data(Type.Object({ mode: ModeName, features: Type.Record(Type.String(), Capability) }))],
});

/** `/instance`, and the endpoints that this deployment mode lacks: they answer FEATURE_NOT_AVAILABLE. */
export const instanceRoutes: FastifyPluginAsyncTypebox<{ instance: Instance }> = async (
  app,
  { instance },
) => {
  app.get('/instance', getInstance, async () => {
    const { version, mode, registration, limits } = instance;
    const has_users = await instance.hasUsers();
    return data({ version, mode, registration, sso_enabled: false, has_users, rate_limits: limits });
  });

  app.get('/instance/status', getInstanceStatus, async () => data(await instance.readStatus()));

  app.get('/instance/capabilities', getCapabilities, async () => {
    const features = Object.fromEntries(
      (Object.keys(CAPABILITIES) as CapabilityName[]).map((name) => {
        const required = CAPABILITIES[name].mode;
        const available = includesMode(instance.mode, required);
        return [name, { available, reason: available ? null : 'mode', required_mode: required }];
      }),
    );
    return data({ mode: instance.mode, features });
  });

  for (const { capability, requiredMode, method, path } of missingRoutes(instance.mode)) {
    app.route({
      method,
      url: path,
      // The OpenAPI document shows only endpoints that this installation has.
      schema: { hide: true } as object,
      config: { access: 'instance.read' },
      handler: async () => {
        throw new ApiError('FEATURE_NOT_AVAILABLE', {
          details: { feature: capability, required_mode: requiredMode },
        });
      },
    });
  }
};
