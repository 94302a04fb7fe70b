import { commandLine, withCommands } from '../help/hints.ts';
import { renderFields } from '../output/table.ts';
import type { Command } from '../session/command.ts';

const status: Command = {
  name: 'mfa status',
  summary: 'Show whether your login asks for a second factor, and whether it has to',
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
  summary: 'Begin to set up an authenticator app as your second factor',
  notes: 'It shows a secret for the app. The factor counts once flagsvc mfa confirm was given a code of it.',
  async run(session) {
    const made = await session.api().call('POST /auth/mfa/totp', {});
    session.show(
      made,
      () =>
        `Type this secret into your authenticator app, or open the address with it:\n\n${made.secret}\n${made.otpauth_url}\n\n${withCommands(
          'Then confirm it with the code that the app shows in place of 123456:',
          commandLine(session, ['mfa', 'confirm', '123456']),
        )}\n`,
    );
  },
};

const confirm: Command = {
  name: 'mfa confirm',
  summary: 'Finish setting up your authenticator app; shows the recovery codes this once',
  args: [{ name: 'code', summary: 'The six digits that the app shows' }],
  examples: ['mfa confirm 123456'],
  async run(session, { args: [code] }) {
    const done = await session.api().call('POST /auth/mfa/totp/confirm', { body: { code: code! } });
    session.show(done, () => {
      session.terminal.err(
        'From now on a login asks for a code. Keep these; each stands once for a code if you lose the app:\n',
      );
      return `${done.recovery_codes.join('\n')}\n`;
    });
  },
};

export const mfaCommands: readonly Command[] = [status, start, confirm];
