import { type Static, Type } from 'typebox';
import { ApiError, invalid } from '../../../http/errors.ts';
import { knownFields } from '../../../http/known-fields.ts';
import { ROLES } from '../../access/roles.ts';

/** The settings of an organization as the API takes and returns them. */
export const OrganizationSettings = Type.Object({
  session_max_hours: Type.Union([Type.Integer({ minimum: 1, maximum: 720 }), Type.Null()], {
    description:
      'Hours until a new login session ends; null (default): 30 days. Open sessions keep their end.',
  }),
  allowed_email_domains: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
    maxItems: 50,
    description: 'Email domains that may register or be invited; empty (default): all.',
  }),
  default_member_role: Type.Union([Type.Enum([...ROLES]), Type.Null()], {
    description: 'Role of users who register; null (default): the default role of the installation.',
  }),
  require_mfa: Type.Boolean({
    description:
      'When true, members without a second factor, and their personal tokens, can do nothing until the member has set one up. Default false. You need a second factor yourself to turn this on.',
  }),
  audit_retention_days: Type.Union([Type.Integer({ minimum: 90, maximum: 3_650 }), Type.Null()], {
    description: 'Days until a nightly job deletes an audit entry; null (default): never.',
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

export function parseSettings(json: string): OrganizationSettings {
  const stored = JSON.parse(json) as Partial<OrganizationSettings>;
  return { ...DEFAULTS, ...knownFields(OrganizationSettings, stored) };
}

/** The settings after a patch, with domains in lower case. Throws VALIDATION_ERROR for an invalid domain. */
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

/** Throws EMAIL_DOMAIN_NOT_ALLOWED unless the organization allows the domain of this email. */
export function requireAllowedDomain(
  email: string,
  { allowed_email_domains: allowed }: Pick<OrganizationSettings, 'allowed_email_domains'>,
): void {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  if (allowed.length === 0 || allowed.includes(domain)) return;
  throw new ApiError('EMAIL_DOMAIN_NOT_ALLOWED', { details: { field: 'email', domain } });
}
