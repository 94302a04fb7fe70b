import { randomBytes } from 'node:crypto';
import type { Command } from './command.ts';
import { VARIABLES } from './config-variables.ts';
import { OPERATOR_COMMANDS } from './operator-commands.ts';

const { jwtSecretKey, apiSecretKey } = VARIABLES;

/** Every command, by name. Their code is loaded only when they run. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  secrets: {
    options: { postgres: { type: 'boolean' } },
    meaning:
      'print newly generated secrets for a new installation, as lines for its environment file; --postgres adds passwords for the compose file',
    print({ options: { postgres } }) {
      const names = [jwtSecretKey.name, apiSecretKey.name];
      if (postgres) names.push('POSTGRES_PASSWORD', 'DATABASE_PASSWORD');
      return names.map((name) => `${name}=${randomBytes(32).toString('base64url')}`).join('\n');
    },
  },
  ...OPERATOR_COMMANDS,
  'accept-secrets': {
    meaning: 'accept the secrets in the environment as those of the database',
    async run(config) {
      const { maintain, acceptSecretsTask } = await import('./maintenance.ts');
      return maintain(config, acceptSecretsTask);
    },
  },
  migrate: {
    options: { check: { type: 'boolean' } },
    meaning: 'migrate the database and end; with --check, only say what is due',
    async run(config, { options }) {
      const { checkMigrations, migrateDatabase } = await import('./migrate-command.ts');
      return options['check'] === true ? checkMigrations(config) : migrateDatabase(config);
    },
  },
  'renew-epochs': {
    meaning: 'after restoring a backup: mark all rulesets as new, because their version numbers repeat',
    async run(config) {
      const { maintain, renewEpochsTask } = await import('./maintenance.ts');
      return maintain(config, renewEpochsTask);
    },
  },
  'reset-password': {
    positionals: ['<email>'],
    options: {
      link: { type: 'boolean' },
      'keep-tokens': { type: 'boolean' },
      'remove-mfa': { type: 'boolean' },
    },
    meaning:
      'set and print a new password for a user, end all sessions and revoke all personal tokens; --keep-tokens keeps these, --remove-mfa also removes the second factor, --link only prints a link for setting a password',
    async run(config, input) {
      const { resetPassword } = await import('./reset-password.ts');
      return resetPassword(config, input);
    },
  },
  'test-mail': {
    positionals: ['<email>'],
    meaning: 'send a test email and print what the mail server of FLAGSVC_SMTP_URL said',
    async run(config, input) {
      const { sendTestMail } = await import('./send-test-mail.ts');
      return sendTestMail(config, input);
    },
  },
};
