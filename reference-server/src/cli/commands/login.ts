import type { Api } from '../client/api.ts';
import type { Data } from '../client/document.ts';
import { CliError, usageError } from '../output/errors.ts';
import { renderFields } from '../output/table.ts';
import type { Command } from '../session/command.ts';
import { createSession, type Session } from '../session/session.ts';

const login: Command = {
  name: 'login',
  summary: 'Log in to a server, and keep the login in your configuration folder',
  options: ['email', 'password-stdin', 'token-stdin'],
  notes:
    'The login is kept for this user of this machine alone and is sent to no other server. It lasts 30 days; in scripts, set FLAGSVC_TOKEN to a token of a service account instead.',
  examples: [
    'login --url https://flags.example.com',
    'login --email me@example.com --password-stdin < password.txt',
  ],
  async run(session, { options }) {
    const { credentials, url } = session;
    if (options['token-stdin'] === true && options['password-stdin'] === true) {
      throw usageError('Use either --token-stdin or --password-stdin.');
    }
    warnOfClearText(session);
    const kept = options['token-stdin'] === true ? await withToken(session) : await withPassword(session);
    const me = await whoIs(session.apiWith({ authorization: `Bearer ${kept.access_token}` }));
    credentials.save(url, { ...kept, email: nameOf(me) });
    session.show(
      { url, email: me.email, name: nameOf(me), role: me.role },
      () => `Logged in to ${url} as ${nameOf(me)}, ${me.role}.\n`,
    );
    if (session.terminal.env['FLAGSVC_TOKEN']) {
      session.terminal.err('FLAGSVC_TOKEN is set, and goes before this login.\n');
    }
  },
};

async function withToken({ terminal }: Session): Promise<{ access_token: string }> {
  const token = (await terminal.readInput()).trim();
  if (token === '' || /\s/.test(token)) throw usageError('There is no token on standard input.');
  return { access_token: token };
}

async function withPassword(session: Session): Promise<{ access_token: string; refresh_token: string }> {
  const { terminal, options } = session;
  const fromInput = options['password-stdin'] === true;
  if (!terminal.isInteractive && (!fromInput || options.email === undefined)) {
    throw usageError(
      'There is nobody to ask for the e-mail and the password.',
      'Use --email with --password-stdin, or --token-stdin, or set FLAGSVC_TOKEN.',
    );
  }
  const email = options.email ?? (await terminal.ask('E-mail: ')).trim();
  const password = fromInput
    ? (await terminal.readInput()).replace(/\r?\n$/, '')
    : await terminal.ask('Password: ', { hidden: true });
  const api = session.apiWith({});
  const { access_token, refresh_token } = await api
    .call('POST /auth/login', { body: { email, password } })
    .catch(async (error: unknown) => {
      if (!(error instanceof CliError) || error.code !== 'MFA_REQUIRED') throw error;
      const body = { mfa_token: String(error.details['mfa_token']), code: await askForCode(session) };
      return api.call('POST /auth/mfa/verify', { body });
    });
  return { access_token, refresh_token };
}

async function askForCode({ terminal }: Session): Promise<string> {
  if (!terminal.isInteractive) {
    throw usageError(
      'This login wants a code of your authenticator app, and there is nobody to ask.',
      'In scripts, set FLAGSVC_TOKEN to a token of a service account.',
    );
  }
  return (await terminal.ask('Code of your authenticator app, or a recovery code: ')).trim();
}

function warnOfClearText({ url, terminal }: Session): void {
  const { protocol, hostname } = new URL(url);
  const isNear = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  if (protocol === 'http:' && !isNear) {
    terminal.err(`${url} is plain HTTP: whoever is on the way can read what you send there.\n`);
  }
}

/** Service accounts have no e-mail. */
function nameOf({ email, full_name }: Data<'GET /auth/me'>): string {
  return email ?? full_name;
}

function whoIs(api: Api): Promise<Data<'GET /auth/me'>> {
  return api.call('GET /auth/me', {});
}

const logout: Command = {
  name: 'logout',
  summary: 'End the login, here and on the server',
  async run(session) {
    const { credentials, url } = session;
    const kept = credentials.find(url);
    if (kept === undefined) {
      session.show({ url, logged_out: false }, () => `You were not logged in to ${url}.\n`);
      return;
    }
    // A token for programs has no session to end.
    if (kept.refresh_token !== undefined) {
      const plain = createSession(
        { ...session.terminal, env: withoutToken(session) },
        { url },
        session.version,
      );
      try {
        await plain.api().call('POST /auth/logout', {});
      } catch (error) {
        // It was over already, or the server is gone: what is kept here goes all the same.
        if (!(error instanceof CliError)) throw error;
        if (error.code === 'UNREACHABLE')
          session.terminal.err(`${error.message} The login ends there by itself.\n`);
      }
    }
    credentials.remove(url);
    session.show({ url, logged_out: true }, () => `Logged out of ${url}.\n`);
  },
};

function withoutToken({ terminal }: Session): Session['terminal']['env'] {
  return { ...terminal.env, FLAGSVC_TOKEN: undefined };
}

const whoami: Command = {
  name: 'whoami',
  summary: 'Show who you are, and where',
  async run(session) {
    const me = await whoIs(session.api());
    session.show({ url: session.url, ...me }, () =>
      renderFields([
        ['server', session.url],
        [me.kind.replace('_', ' '), nameOf(me)],
        ['role', me.role],
        ['organization', me.organizations.map(({ name }) => name).join(', ')],
        ['id', me.id],
      ]),
    );
  },
};

export const loginCommands: readonly Command[] = [login, logout, whoami];
