import { type Static, Type } from 'typebox';
import { invalid } from '../../../http/errors.ts';
import { knownFields } from '../../../http/known-fields.ts';
import { ROLES } from '../../access/roles.ts';

/** What an organization says of its people. */
export const OrganizationSettings = Type.Object({
  session_max_hours: Type.Union([Type.Integer({ minimum: 1, maximum: 720 }), Type.Null()], {
    description: 'How long a login may last; null (default): 30 days. Holds for logins from then on.',
  }),
  allowed_email_domains: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
    maxItems: 50,
    description: 'Who may register or be invited; empty (default): everybody.',
  }),
  default_member_role: Type.Union([Type.Enum([...ROLES]), Type.Null()], {
    description: 'Role of whoever registers; null (default): what the installation says.',
  }),
  require_mfa: Type.Boolean({
    description:
      'Members without a second factor, and their personal tokens, can do nothing but set one up; default false. Whoever turns it on has one.',
  }),
  audit_retention_days: Type.Union([Type.Integer({ minimum: 90, maximum: 3_650 }), Type.Null()], {
    description: 'Audit entries that are older are removed by night; null (default): none.',
  }),
});

export type OrganizationSettings = Static<typeof OrganizationSettings>;

const DEFAULTS: OrganizationSettings = {
  session_max_hours: null,
  allowed_email_domains: [],
  default_member_role: null,
  require_mfa: false,
  audit_retention_days: null,
};

export function readSettings(json: string): OrganizationSettings {
  const stored = JSON.parse(json) as Partial<OrganizationSettings>;
  return { ...DEFAULTS, ...knownFields(OrganizationSettings, stored) };
}

/** Settings as they would be; domains in lower case. Throws VALIDATION_ERROR for what is no domain. */
export function mergeSettings(
  before: OrganizationSettings,
  patch: { readonly [Name in keyof OrganizationSettings]?: OrganizationSettings[Name] | undefined } = {},
): OrganizationSettings {
  const domains = patch.allowed_email_domains?.map((domain) => domain.toLowerCase());
  const index = domains?.findIndex((domain) => !/^[^\s@.]+(\.[^\s@.]+)+$/.test(domain)) ?? -1;
  if (index >= 0) {
    throw invalid({
      field: `settings.allowed_email_domains.${index}`,
      location: 'body',
      code: 'format',
      message: 'must be a domain such as "example.com"',
    });
  }
  const known = knownFields(OrganizationSettings, patch);
  const given = Object.entries(known).filter(([, value]) => value !== undefined);
  return {
    ...before,
    ...(Object.fromEntries(given) as Partial<OrganizationSettings>),
    ...(domains !== undefined && { allowed_email_domains: [...new Set(domains)] }),
  };
}
