import { readSecrets } from '../input/read-secrets.ts';
import { usageError } from '../output/errors.ts';
import { withCommands } from '../output/shell-line.ts';
import { shortTime } from '../output/time-words.ts';
import type { Command } from '../session/command.ts';
import { commandLine } from '../session/command-line.ts';
import { reauthenticate } from '../session/reauthenticate.ts';

const FROM_INPUT = { 'password-stdin': 'Read the secrets from standard input, one a line.' };

const register: Command = {
  name: 'register',
  summary: 'Create an account; the first one of a server becomes the admin',
  options: ['email', 'name', 'password-stdin'],
  optionSummaries: { email: 'E-mail address of the account.', name: 'Your name.' },
  notes: 'Later accounts may need an invitation: see invitations accept.',
  examples: ['register --email ada@example.com --name "Ada Lovelace"'],
  async run(session, { options }) {
    if (options.email === undefined) throw usageError('No e-mail address is given.', 'Give it with --email.');
    const [password] = await readSecrets(session, ['Password']);
    const done = await session.apiWith({}).call('POST /auth/register', {
      body: { email: options.email, password: password!, full_name: options.name },
    });
    const login = commandLine(session, ['login', '--email', done.email]);
    session.show(
      done,
      () => `${withCommands(`Registered ${done.email} as ${done.role}. To log in:`, login)}\n`,
    );
  },
};

const update: Command = {
  name: 'account update',
  summary: 'Change your name',
  options: ['name'],
  optionSummaries: { name: 'Your new name.' },
  examples: ['account update --name "Ada King"'],
  async run(session, { options }) {
    if (options.name === undefined) throw usageError('Nothing to change.', 'Give your new name with --name.');
    const done = await session.api().call('PATCH /auth/me', { body: { full_name: options.name } });
    session.show(done, () => `You are now ${done.full_name}.\n`);
  },
};

const password: Command = {
  name: 'account password',
  summary: 'Change your password; this ends your other sessions',
  options: ['password-stdin', 'revoke-tokens'],
  optionSummaries: {
    'password-stdin': 'Read the current and the new password from standard input, one a line.',
  },
  examples: ['account password', 'account password --revoke-tokens'],
  async run(session, { options }) {
    const [current_password, new_password] = await readSecrets(session, ['Current password', 'New password']);
    await session.api().call('POST /auth/password/change', {
      body: {
        current_password: current_password!,
        new_password: new_password!,
        revoke_tokens: options['revoke-tokens'],
      },
    });
    session.show({ status: 'changed' }, () => 'Changed your password.\n');
  },
};

const forgot: Command = {
  name: 'account forgot-password',
  summary: 'Have a link to a new password sent to an e-mail address',
  options: ['email'],
  optionSummaries: { email: 'E-mail address of the account.' },
  notes: 'The answer is the same whether the account exists or not.',
  examples: ['account forgot-password --email ada@example.com'],
  async run(session, { options }) {
    if (options.email === undefined) throw usageError('No e-mail address is given.', 'Give it with --email.');
    await session.apiWith({}).call('POST /auth/password/forgot', { body: { email: options.email } });
    const reset = commandLine(session, ['account', 'reset-password']);
    session.show(
      { email: options.email },
      () => `${withCommands('If the account exists, a link is on its way. Use its token here:', reset)}\n`,
    );
  },
};

const reset: Command = {
  name: 'account reset-password',
  summary: 'Set a new password with the token from the e-mail',
  options: ['password-stdin', 'revoke-tokens'],
  optionSummaries: FROM_INPUT,
  notes: 'It asks for the token and the new password.',
  examples: ['account reset-password'],
  async run(session, { options }) {
    const [token, secret] = await readSecrets(session, ['Token from the e-mail', 'New password']);
    await session.apiWith({}).call('POST /auth/password/reset', {
      body: { token: token!.trim(), password: secret!, revoke_tokens: options['revoke-tokens'] },
    });
    const login = commandLine(session, ['login']);
    session.show({ status: 'changed' }, () => `${withCommands('Set the new password. To log in:', login)}\n`);
  },
};

const confirmPassword: Command = {
  name: 'account reauthenticate',
  summary: 'Confirm your password, which dangerous changes need within 5 minutes',
  options: ['password-stdin'],
  optionSummaries: {
    'password-stdin': 'Read the password, and the code if there is one, from standard input, one a line.',
  },
  examples: ['account reauthenticate'],
  async run(session) {
    const [secret, code] = await readSecrets(session, ['Password']);
    const done = await reauthenticate(session.api(), session.terminal, { password: secret!, code });
    session.show(done, () => `Confirmed until ${shortTime(done.valid_until)}.\n`);
  },
};

export const registerCommands: readonly Command[] = [register];
export const accountCommands: readonly Command[] = [update, password, forgot, reset, confirmPassword];
