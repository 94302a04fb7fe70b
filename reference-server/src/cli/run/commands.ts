import { auditCommands } from '../commands/audit.ts';
import { breakGlassCommands } from '../commands/break-glass.ts';
import { createCompletionCommand } from '../commands/completion.ts';
import { evaluateCommands } from '../commands/evaluate.ts';
import { explainCommands } from '../commands/explain.ts';
import { flagCommands } from '../commands/flags.ts';
import { freezeCommands } from '../commands/freeze.ts';
import { keyCommands } from '../commands/keys.ts';
import { loginCommands } from '../commands/login.ts';
import { mfaCommands } from '../commands/mfa.ts';
import { projectCommands } from '../commands/projects.ts';
import { promoteCommands } from '../commands/promote.ts';
import { refsCommands } from '../commands/refs.ts';
import { rolloutCommands } from '../commands/rollout.ts';
import { scheduleCommands } from '../commands/schedules.ts';
import { serviceAccountCommands } from '../commands/service-accounts.ts';
import { transferCommands } from '../commands/transfer.ts';
import type { Command } from '../session/command.ts';

const API_COMMANDS: readonly Command[] = [
  ...loginCommands,
  ...mfaCommands,
  ...projectCommands,
  ...flagCommands,
  ...rolloutCommands,
  ...promoteCommands,
  ...scheduleCommands,
  ...evaluateCommands,
  ...explainCommands,
  ...keyCommands,
  ...serviceAccountCommands,
  ...transferCommands,
  ...refsCommands,
  ...freezeCommands,
  ...breakGlassCommands,
  ...auditCommands,
];

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [...API_COMMANDS, createCompletionCommand(API_COMMANDS)];
