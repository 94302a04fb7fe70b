/** The tables of users, service accounts, their roles, sessions and tokens. */

import type { Generated } from 'kysely';

export interface UserTable {
  id: string;
  email: string;
  /** The e-mail address, case-folded; unique. */
  email_folded: string;
  full_name: string | null;
  password_hash: string;
  created_at: string;
  last_login_at: string | null;
  disabled_at: string | null;
}

export interface MembershipTable {
  organization_id: string;
  user_id: string;
  role: string;
  source: string;
  joined_at: string;
  /** The environments in which the member may make changes; null: all. */
  environment_ids_json: string | null;
  revision: Generated<number>;
}

/** A member's role in one project, if it grants more than the member's role in the organization. */
export interface ProjectRoleTable {
  organization_id: string;
  project_id: string;
  user_id: string;
  role: string;
  created_at: string;
}

export interface SessionTable {
  organization_id: string;
  id: string;
  user_id: string;
  /** HMAC-SHA256 of the refresh token. */
  refresh_hash: string;
  created_at: string;
  /** When the refresh token, and so the session, ends. */
  expires_at: string;
  revoked_at: string | null;
  ip: string | null;
  user_agent: string | null;
  /** When the user last entered the password in this session; null (sessions of old versions) counts as never. */
  authenticated_at: string | null;
  /** When the session was last used, at most a minute behind; null until the first use. */
  last_used_at: string | null;
}

/** What a person chose in the dashboard. */
export interface PreferenceTable {
  organization_id: string;
  user_id: string;
  preferences_json: string;
  revision: number;
  updated_at: string;
}

/** A requested password reset; deleted when used. */
export interface PasswordResetTable {
  user_id: string;
  token_hash: string;
  created_at: string;
  expires_at: string;
}

/** A machine token. Only its hash is stored. */
export interface MachineTokenColumns {
  organization_id: string;
  id: string;
  name: string;
  hash: string;
  last_four: string;
  scopes_json: string;
  created_at: string;
  expires_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
}

/** A token that a user created for scripts. */
export interface PersonalTokenTable extends MachineTokenColumns {
  user_id: string;
}

/** A program with a role of its own. It stays when its creator leaves. */
export interface ServiceAccountTable {
  organization_id: string;
  id: string;
  kind: string;
  name: string;
  description: string;
  role: string;
  /** The environments in which the account may make changes; null: all. */
  environment_ids_json: string | null;
  /** When the account was disabled. Its tokens are refused from then on. */
  disabled_at: string | null;
  created_by: string;
  created_at: string;
  updated_at: string;
  revision: number;
}

/** A service account's role in one project, if it grants more than the account's role in the organization. */
export interface ServiceAccountRoleTable {
  organization_id: string;
  service_account_id: string;
  project_id: string;
  role: string;
}

export interface ServiceAccountTokenTable extends MachineTokenColumns {
  service_account_id: string;
  created_by: string;
}

export interface InvitationTable {
  organization_id: string;
  id: string;
  email: string;
  email_folded: string;
  role: string;
  project_roles_json: string;
  token_hash: string;
  invited_by: string | null;
  created_at: string;
  expires_at: string;
  accepted_at: string | null;
  revoked_at: string | null;
  revision: number;
}

/** The secret of a user's authenticator app. */
export interface TotpFactorTable {
  user_id: string;
  /** Encrypted with a key derived from FLAGSVC_API_SECRET_KEY. */
  secret_sealed: string;
  created_at: string;
  /** When the user confirmed the secret with a first code; null: not yet. Until then, logins do not require a code. */
  confirmed_at: string | null;
  /** The time step of the last used code; codes of this and earlier steps are refused. */
  last_step: number;
}

/** A code for a user who has lost the authenticator app; deleted when used. */
export interface RecoveryCodeTable {
  user_id: string;
  code_hash: string;
}

export interface PeopleTables {
  preferences: PreferenceTable;
  users: UserTable;
  memberships: MembershipTable;
  project_roles: ProjectRoleTable;
  sessions: SessionTable;
  password_resets: PasswordResetTable;
  personal_tokens: PersonalTokenTable;
  service_accounts: ServiceAccountTable;
  service_account_roles: ServiceAccountRoleTable;
  service_account_tokens: ServiceAccountTokenTable;
  invitations: InvitationTable;
  totp_factors: TotpFactorTable;
  recovery_codes: RecoveryCodeTable;
}
