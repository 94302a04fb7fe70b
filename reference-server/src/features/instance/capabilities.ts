/** Feature sets ("Deployment modes"), each with those before it. */
export const MODES = ['oss', 'saas', 'enterprise'] as const;
export type Mode = (typeof MODES)[number];

/** What an installation can do: the mode that brings it, and the paths under `/api/v1` that belong to it. */
interface Capability {
  readonly mode: Mode;
  /** Routes that answer FEATURE_NOT_AVAILABLE where the mode is another: `METHOD /path`. */
  readonly routes?: readonly string[];
}

/**
 * The one table of what belongs to which mode. The routes of other modes are refused by it and
 * `GET /instance/capabilities` tells it, so that the two cannot disagree.
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
  project_roles: { mode: 'oss' },
  multiple_organizations: {
    mode: 'saas',
    routes: ['DELETE /organizations/:organization_id', 'POST /organizations/:organization_id/restore'],
  },
  billing: {
    mode: 'saas',
    routes: ['GET /billing/subscription', 'POST /billing/checkout', 'GET /billing/invoices', 'GET /usage'],
  },
  analytics: { mode: 'saas', routes: ['GET /analytics/evaluations'] },
  teams: {
    mode: 'enterprise',
    routes: ['GET /organizations/:organization_id/teams', 'POST /organizations/:organization_id/teams'],
  },
  custom_roles: { mode: 'enterprise', routes: ['GET /roles', 'POST /roles', 'POST /roles/simulate'] },
  service_accounts: { mode: 'enterprise', routes: ['GET /service-accounts', 'POST /service-accounts'] },
  change_requests: { mode: 'enterprise', routes: ['GET /change-requests', 'POST /change-requests'] },
  sso: { mode: 'enterprise', routes: ['GET /identity-connections', 'POST /identity-connections'] },
  scim: { mode: 'enterprise', routes: ['GET /scim/tokens', 'POST /scim/tokens'] },
  compliance: { mode: 'enterprise', routes: ['GET /compliance/reports'] },
  cost_management: { mode: 'enterprise', routes: ['GET /costs'] },
  license: { mode: 'enterprise', routes: ['GET /license', 'PUT /license'] },
} as const satisfies Record<string, Capability>;

export type CapabilityName = keyof typeof CAPABILITIES;

/** Whether an installation of a mode has what another mode brings. */
export function includesMode(own: Mode, required: Mode): boolean {
  return MODES.indexOf(own) >= MODES.indexOf(required);
}

/** The routes that are refused in a mode, with the capability that each belongs to. */
export function missingRoutes(own: Mode): readonly {
  readonly capability: CapabilityName;
  readonly requiredMode: Mode;
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
