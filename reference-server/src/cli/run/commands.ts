import { accountCommands, registerCommands } from '../commands/account.ts';
import { auditCommands } from '../commands/audit.ts';
import { breakGlassCommands } from '../commands/break-glass.ts';
import { createCompletionCommand } from '../commands/completion.ts';
import { environmentTrafficCommands } from '../commands/environment-traffic.ts';
import { environmentCommands } from '../commands/environments.ts';
import { erasureCommands } from '../commands/erasures.ts';
import { evaluateCommands } from '../commands/evaluate.ts';
import { explainCommands } from '../commands/explain.ts';
import { flagBulkCommands } from '../commands/flag-bulk.ts';
import { flagCopyCommands } from '../commands/flag-copies.ts';
import { flagHistoryCommands } from '../commands/flag-history.ts';
import { flagLifecycleCommands, reservedKeyCommands } from '../commands/flag-lifecycle.ts';
import { flagSettingsCommands } from '../commands/flag-settings.ts';
import { flagUsageCommands, searchCommands } from '../commands/flag-usage.ts';
import { flagCommands } from '../commands/flags.ts';
import { freezeCommands } from '../commands/freeze.ts';
import { freezeWindowCommands } from '../commands/freeze-windows.ts';
import { instanceCommands, versionCommands } from '../commands/instance.ts';
import { invitationCommands } from '../commands/invitations.ts';
import { keyCommands } from '../commands/keys.ts';
import { loginCommands } from '../commands/login.ts';
import { memberCommands } from '../commands/members.ts';
import { mfaCommands } from '../commands/mfa.ts';
import { organizationCommands } from '../commands/organization.ts';
import { prerequisiteCommands } from '../commands/prerequisites.ts';
import { attentionCommands, projectCommands } from '../commands/projects.ts';
import { promoteCommands } from '../commands/promote.ts';
import { refsCommands } from '../commands/refs.ts';
import { rolloutCommands } from '../commands/rollout.ts';
import { ruleCommands } from '../commands/rules.ts';
import { scheduleCommands } from '../commands/schedules.ts';
import { segmentCommands } from '../commands/segments.ts';
import { serviceAccountCommands } from '../commands/service-accounts.ts';
import { sessionCommands, tokenCommands } from '../commands/sessions.ts';
import { tagCommands } from '../commands/tags.ts';
import { transferCommands } from '../commands/transfer.ts';
import { variationCommands } from '../commands/variations.ts';
import { webhookMessageCommands } from '../commands/webhook-messages.ts';
import { webhookCommands } from '../commands/webhooks.ts';
import type { Command } from '../session/command.ts';

const FLAGS = [
  ...flagCommands,
  ...flagSettingsCommands,
  ...rolloutCommands,
  ...promoteCommands,
  ...flagCopyCommands,
  ...flagBulkCommands,
  ...flagHistoryCommands,
  ...flagLifecycleCommands,
  ...flagUsageCommands,
  ...ruleCommands,
  ...variationCommands,
  ...prerequisiteCommands,
  ...segmentCommands,
  ...tagCommands,
  ...reservedKeyCommands,
  ...searchCommands,
];

const CHANGES = [
  ...scheduleCommands,
  ...freezeCommands,
  ...freezeWindowCommands,
  ...breakGlassCommands,
  ...auditCommands,
  ...attentionCommands,
  ...webhookCommands,
  ...webhookMessageCommands,
];

const PEOPLE = [
  ...keyCommands,
  ...serviceAccountCommands,
  ...memberCommands,
  ...invitationCommands,
  ...organizationCommands,
  ...registerCommands,
  ...loginCommands,
  ...accountCommands,
  ...mfaCommands,
  ...sessionCommands,
  ...tokenCommands,
];

const API_COMMANDS: readonly Command[] = [
  ...FLAGS,
  ...evaluateCommands,
  ...explainCommands,
  ...CHANGES,
  ...projectCommands,
  ...environmentCommands,
  ...environmentTrafficCommands,
  ...erasureCommands,
  ...transferCommands,
  ...refsCommands,
  ...PEOPLE,
  ...instanceCommands,
  ...versionCommands,
];

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [...API_COMMANDS, createCompletionCommand(API_COMMANDS)];
