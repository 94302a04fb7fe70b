import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data } from '../../../http/envelope.ts';
import { ApiError } from '../../../http/errors.ts';
import {
  DEPLOYMENT_MODES,
  type DeploymentMode,
  REGISTRATION_MODES,
  type RegistrationMode,
} from '../../../lib/deployment-modes.ts';
import { route } from '../../endpoint/route.ts';
import { CAPABILITIES, type CapabilityName, includesMode, missingRoutes } from './capabilities.ts';

/** What an installation publishes about itself. */
export interface Instance {
  readonly version: string;
  readonly mode: DeploymentMode;
  readonly registration: RegistrationMode;
}

const ModeName = Type.Enum([...DEPLOYMENT_MODES]);
const tag = 'Instance';

const getInstance = route({
  access: 'public',
  operationId: 'getInstance',
  tag,
  summary: 'Read the installation',
  description:
    'Returns what a client needs before a login: version, deployment mode, and how users register.',
  answer: [
    200,
    Data(
      Type.Object({
        version: Type.String(),
        mode: ModeName,
        registration: Type.Enum([...REGISTRATION_MODES]),
        sso_enabled: Type.Boolean(),
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
    const { version, mode, registration } = instance;
    return data({ version, mode, registration, sso_enabled: false });
  });

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
