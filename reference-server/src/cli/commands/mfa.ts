import { confirm as confirmChange } from '../changes/confirm.ts';
import { withCommands } from '../output/shell-line.ts';
import { renderFields } from '../output/table.ts';
import type { Command } from '../session/command.ts';
import { commandLine } from '../session/command-line.ts';

const status: Command = {
  name: 'mfa status',
  alias: 'mfa',
  summary: 'Show whether a second factor is set up and whether it is required',
  examples: ['mfa status'],
  async run(session) {
    const mfa = await session.api().call('GET /auth/mfa', {});
    session.show(mfa, () =>
      renderFields([
        ['authenticator app', mfa.totp],
        ['required by the organization', mfa.required],
        ['recovery codes left', mfa.recovery_codes_left],
      ]),
    );
  },
};

const start: Command = {
  name: 'mfa start',
  summary: 'Start setting up an authenticator app as second factor',
  notes: 'It prints a secret for the app. Finish with flagsvc mfa confirm and a code from the app.',
  examples: ['mfa start'],
  async run(session) {
    const enrolment = await session.api().call('POST /auth/mfa/totp', {});
    session.show(
      enrolment,
      () =>
        `Enter this secret in your authenticator app, or open this address on the device that has the app:\n\n${enrolment.secret}\n${enrolment.otpauth_url}\n\n${withCommands(
          'Then confirm with a code from the app instead of 123456:',
          commandLine(session, ['mfa', 'confirm', '123456']),
        )}\n`,
    );
  },
};

const confirm: Command = {
  name: 'mfa confirm',
  summary: 'Finish setting up an authenticator app; prints the recovery codes once',
  args: [{ name: 'code', summary: 'Six-digit code from the app' }],
  examples: ['mfa confirm 123456'],
  async run(session, { args: [code] }) {
    const done = await session.api().call('POST /auth/mfa/totp/confirm', { body: { code: code! } });
    session.show(done, () => {
      session.terminal.err(
        'Logins now require a code. Keep these recovery codes; each can replace a code once:\n',
      );
      return `${done.recovery_codes.join('\n')}\n`;
    });
  },
};

const renew: Command = {
  name: 'mfa recovery-codes',
  summary: 'Replace your recovery codes; prints the new ones once',
  options: ['yes'],
  notes:
    'The old codes stop working. It needs a login within the last 5 minutes: see account reauthenticate.',
  examples: ['mfa recovery-codes > codes.txt'],
  async run(session) {
    await confirmChange(session, { action: 'Replace your recovery codes', name: 'your account' });
    const done = await session.api().call('POST /auth/mfa/recovery-codes', {});
    session.show(done, () => `${done.recovery_codes.join('\n')}\n`);
  },
};

const remove: Command = {
  name: 'mfa remove',
  summary: 'Remove your authenticator app as second factor',
  options: ['yes'],
  notes: 'It needs a login within the last 5 minutes: see account reauthenticate.',
  examples: ['mfa remove'],
  async run(session) {
    await confirmChange(session, { action: 'Remove your second factor', name: 'your account' });
    await session.api().call('DELETE /auth/mfa/totp', {});
    session.show({ totp: false }, () => 'Removed your second factor.\n');
  },
};

export const mfaCommands: readonly Command[] = [status, start, confirm, renew, remove];
