import { DEPLOYMENT_MODES, type DeploymentMode } from '../../../lib/deployment-modes.ts';

/** A feature of an installation, and the first deployment mode that has it; the modes after it have the feature too. */
interface Capability {
  readonly mode: DeploymentMode;
  /** Its endpoints under `/api/v1`, as `METHOD /path`; in earlier modes they answer FEATURE_NOT_AVAILABLE. */
  readonly routes?: readonly string[];
}

const ORGANIZATION = '/organizations/:organization_id';
const listAt = (path: string) => [`GET ${path}`, `POST ${path}`];
const oneAt = (path: string) => [`GET ${path}`, `PATCH ${path}`, `DELETE ${path}`];

/**
 * Which feature belongs to which mode. Both the refusal of endpoints and `GET /instance/capabilities` use this table, so
 * that they cannot disagree.
 */
export const CAPABILITIES = {
  flags: { mode: 'oss' },
  segments: { mode: 'oss' },
  freeze_windows: { mode: 'oss' },
  break_glass: { mode: 'oss' },
  scheduled_changes: { mode: 'oss' },
  audit_log: { mode: 'oss' },
  webhooks: { mode: 'oss' },
  import_export: { mode: 'oss' },
  personal_tokens: { mode: 'oss' },
  service_accounts: { mode: 'oss' },
  project_roles: { mode: 'oss' },
  multiple_organizations: {
    mode: 'saas',
    routes: [`DELETE ${ORGANIZATION}`, `POST ${ORGANIZATION}/restore`],
  },
  billing: {
    mode: 'saas',
    routes: [
      'GET /billing/plans',
      `GET ${ORGANIZATION}/subscription`,
      `GET ${ORGANIZATION}/usage`,
      `GET ${ORGANIZATION}/invoices`,
      `POST ${ORGANIZATION}/subscription/:action`,
    ],
  },
  analytics: {
    mode: 'saas',
    routes: [
      'GET /analytics/flags/:flag_id',
      'GET /analytics/environments/:environment_id/overview',
      'GET /analytics/projects/:project_id/health',
      'GET /analytics/sdks',
      'GET /analytics/ghost-flags',
      'GET /analytics/export',
    ],
  },
  teams: {
    mode: 'enterprise',
    routes: [
      ...listAt(`${ORGANIZATION}/teams`),
      ...oneAt(`${ORGANIZATION}/teams/:team_id`),
      ...listAt(`${ORGANIZATION}/teams/:team_id/members`),
    ],
  },
  custom_roles: { mode: 'enterprise', routes: [...listAt('/roles'), 'POST /roles/simulate'] },
  change_requests: {
    mode: 'enterprise',
    routes: [
      ...listAt('/change-requests'),
      ...oneAt('/change-requests/:change_request_id'),
      'POST /change-requests/:change_request_id/:action',
    ],
  },
  sso: {
    mode: 'enterprise',
    routes: [
      ...listAt('/sso/connections'),
      ...oneAt('/sso/connections/:connection_id'),
      ...listAt(`${ORGANIZATION}/domains`),
    ],
  },
  scim: { mode: 'enterprise', routes: listAt('/scim/tokens') },
  compliance: {
    mode: 'enterprise',
    routes: ['GET /compliance/:report', 'POST /compliance/erasure', ...listAt('/siem-streams')],
  },
  cost_management: {
    mode: 'enterprise',
    routes: [
      `GET ${ORGANIZATION}/costs`,
      `GET ${ORGANIZATION}/costs/:view`,
      ...listAt(`${ORGANIZATION}/budgets`),
    ],
  },
  license: { mode: 'enterprise', routes: ['GET /license', 'PUT /license'] },
} as const satisfies Record<string, Capability>;

export type CapabilityName = keyof typeof CAPABILITIES;

/** Whether an installation in mode `own` has the features of mode `required`: each mode includes the ones before it. */
export function includesMode(own: DeploymentMode, required: DeploymentMode): boolean {
  return DEPLOYMENT_MODES.indexOf(own) >= DEPLOYMENT_MODES.indexOf(required);
}

/** The endpoints that an installation in this mode refuses, with the capability of each. */
export function missingRoutes(own: DeploymentMode): readonly {
  readonly capability: CapabilityName;
  readonly requiredMode: DeploymentMode;
  readonly method: string;
  readonly path: string;
}[] {
  const entries = Object.entries(CAPABILITIES) as [CapabilityName, Capability][];
  return entries
    .filter(([, { mode }]) => !includesMode(own, mode))
    .flatMap(([capability, { mode, routes = [] }]) =>
      routes.map((route) => {
        const [method = '', path = ''] = route.split(' ');
        return { capability, requiredMode: mode, method, path };
      }),
    );
}
