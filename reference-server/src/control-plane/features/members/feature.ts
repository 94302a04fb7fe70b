import type { RegistrationMode } from '../../../lib/deployment-modes.ts';
import type { Database } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { Feature } from '../../feature.ts';
import type { DashboardLinks } from '../../mail/dashboard-links.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { WriteGate } from '../../write-gate/change.ts';
import type { PasswordPolicy } from '../auth/passwords/password-policy.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import type { ReadOrganizationSettings } from '../organizations/read-organization-settings.ts';
import type { RequireProject } from '../projects/require-project.ts';
import type * as UserStore from '../users/user-store.ts';
import { createAcceptInvitation } from './invitations/accept-invitation.ts';
import { createInspectInvitation } from './invitations/inspect-invitation.ts';
import { invitationRoutes } from './invitations/invitation-routes.ts';
import { createInvitationService } from './invitations/invitation-service.ts';
import { memberRoutes } from './member-routes.ts';
import { createMemberService, type MemberService, type MemberServiceDeps } from './member-service.ts';
import { createResetMfa, type ResetMfaDeps } from './reset-mfa.ts';

export interface MemberFeatureDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** At least 32 characters; hashes tokens of invitations. */
  readonly apiSecretKey: string;
  readonly registration: RegistrationMode;
  readonly passwordPolicy: PasswordPolicy;
  readonly mailer: Mailer;
  /** Base address of links in emails, without a slash at its end. */
  readonly links: DashboardLinks;
  readonly users: typeof UserStore;
  readonly readOrganizationSettings: ReadOrganizationSettings;
  readonly requireProject: RequireProject;
  readonly requireEnvironment: RequireEnvironment;
  readonly requireRecentLogin: ResetMfaDeps['requireRecentLogin'];
  readonly removeFactor: ResetMfaDeps['removeFactor'];
  readonly endSessions: ResetMfaDeps['endSessions'];
  readonly endAccess: MemberServiceDeps['endAccess'];
}

/** Members of organizations, their roles, and invitations. */
export function createMemberFeature(deps: MemberFeatureDeps): Feature<MemberService> {
  const { db, gate, newId, now, apiSecretKey, registration, mailer, users } = deps;
  const { readOrganizationSettings, requireProject, requireEnvironment, endAccess } = deps;
  const { requireRecentLogin, removeFactor, endSessions, passwordPolicy, links } = deps;
  const members = createMemberService({ db, gate, requireProject, requireEnvironment, endAccess });
  const resetMfa = createResetMfa({ gate, mailer, requireRecentLogin, removeFactor, endSessions });
  const invitations = createInvitationService({
    db,
    gate,
    newId,
    now,
    apiSecretKey,
    registration,
    mailer,
    links,
    users,
    readOrganizationSettings,
    requireProject,
  });
  const accept = createAcceptInvitation({
    db,
    gate,
    newId,
    now,
    apiSecretKey,
    registration,
    passwordPolicy,
    users,
  });
  const inspect = createInspectInvitation({ db, now, apiSecretKey, users });
  return {
    service: members,
    async routes(app) {
      await app.register(memberRoutes, { members, resetMfa });
      await app.register(invitationRoutes, { invitations, accept, inspect });
    },
  };
}
