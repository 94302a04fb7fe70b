import { withCommands } from '../output/shell-line.ts';
import { renderFields } from '../output/table.ts';
import type { Command } from '../session/command.ts';
import { commandLine } from '../session/command-line.ts';

const status: Command = {
  name: 'mfa status',
  summary: 'Show whether a second factor is set up and whether it is required',
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

export const mfaCommands: readonly Command[] = [status, start, confirm];
