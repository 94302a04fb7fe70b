/** The tables of people: who they are, what they belong to, and how they come in. */

import type { Generated } from 'kysely';

export interface UserTable {
  id: string;
  email: string;
  /** The e-mail case-folded: the unique one. */
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
  /** The environments that the member may change things in; null: all. */
  environment_ids_json: string | null;
  revision: Generated<number>;
}

/** A member's role in one project, where it is more than the role in the organization. */
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
  /** End of the refresh token, and so of the session. */
  expires_at: string;
  revoked_at: string | null;
  ip: string | null;
  user_agent: string | null;
  /** When the password was last given in this session; null in sessions from before, which counts as never. */
  authenticated_at: string | null;
  /** At most a minute behind; null until the first use. */
  last_used_at: string | null;
}

/** A password reset that was asked for; used ones are removed. */
export interface PasswordResetTable {
  user_id: string;
  token_hash: string;
  created_at: string;
  expires_at: string;
}

/** A token for programs. The token itself is stored nowhere. */
export interface ProgramTokenColumns {
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

/** A token that a user made for scripts. */
export interface PersonalTokenTable extends ProgramTokenColumns {
  user_id: string;
}

/** Somebody who is no person: a program with a role of its own, which outlives whoever set it up. */
export interface ServiceAccountTable {
  organization_id: string;
  id: string;
  kind: string;
  name: string;
  description: string;
  role: string;
  /** The environments that the account may change things in; null: all. */
  environment_ids_json: string | null;
  /** Its tokens are refused from then on. */
  disabled_at: string | null;
  created_by: string;
  created_at: string;
  updated_at: string;
  revision: number;
}

/** A service account's role in one project, where it is more than the role in the organization. */
export interface ServiceAccountRoleTable {
  organization_id: string;
  service_account_id: string;
  project_id: string;
  role: string;
}

export interface ServiceAccountTokenTable extends ProgramTokenColumns {
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
  /** Sealed (decision 0105). */
  secret_sealed: string;
  created_at: string;
  /** Null until a code of it was given: it counts for nothing before. */
  confirmed_at: string | null;
  /** The step of the last code that was used: none that is not younger is taken. */
  last_step: number;
}

/** A code for whoever has lost the app; used ones are removed. */
export interface RecoveryCodeTable {
  user_id: string;
  code_hash: string;
}

export interface PeopleTables {
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
