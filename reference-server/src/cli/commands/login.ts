import type { Api } from '../client/api.ts';
import type { Data } from '../client/document.ts';
import { CliError, usageError } from '../output/errors.ts';
import { renderFields } from '../output/table.ts';
import type { Command } from '../session/command.ts';
import { createSession, type Session } from '../session/session.ts';

const login: Command = {
  name: 'login',
  summary: 'Log in to a server and store the login in your configuration folder',
  options: ['email', 'password-stdin', 'token-stdin'],
  notes:
    'Only your user can read the stored login, and it is sent only to its server. It lasts 30 days. In scripts, set FLAGSVC_TOKEN to a service account token instead.',
  examples: [
    'login --url https://flags.example.com',
    'login --email me@example.com --password-stdin < password.txt',
  ],
  async run(session, { options }) {
    const { credentials, url } = session;
    if (options['token-stdin'] === true && options['password-stdin'] === true) {
      throw usageError('Use either --token-stdin or --password-stdin.');
    }
    warnAboutPlainHttp(session);
    const login = options['token-stdin'] === true ? await withToken(session) : await withPassword(session);
    const me = await whoIs(session.apiWith({ authorization: `Bearer ${login.access_token}` }));
    credentials.save(url, { ...login, email: nameOf(me) });
    session.show(
      { url, email: me.email, name: nameOf(me), role: me.role },
      () => `Logged in to ${url} as ${nameOf(me)}, ${me.role}.\n`,
    );
    if (session.terminal.env['FLAGSVC_TOKEN']) {
      session.terminal.err('FLAGSVC_TOKEN is set and takes precedence over this login.\n');
    }
  },
};

async function withToken({ terminal }: Session): Promise<{ access_token: string }> {
  const token = (await terminal.readInput()).trim();
  if (token === '' || /\s/.test(token)) throw usageError('Standard input contains no token.');
  return { access_token: token };
}

async function withPassword(session: Session): Promise<{ access_token: string; refresh_token: string }> {
  const { terminal, options } = session;
  const fromInput = options['password-stdin'] === true;
  if (!terminal.isInteractive && (!fromInput || options.email === undefined)) {
    throw usageError(
      'Cannot prompt for e-mail and password: this is not a terminal.',
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
      'This login needs a code from your authenticator app, and this is not a terminal.',
      'In scripts, set FLAGSVC_TOKEN to a service account token.',
    );
  }
  return (await terminal.ask('Code from your authenticator app, or a recovery code: ')).trim();
}

function warnAboutPlainHttp({ url, terminal }: Session): void {
  const { protocol, hostname } = new URL(url);
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  if (protocol === 'http:' && !isLocal) {
    terminal.err(`Warning: ${url} is plain HTTP; others on the network can read your password and token.\n`);
  }
}

/** Service accounts have no e-mail address. */
function nameOf({ email, full_name }: Data<'GET /auth/me'>): string {
  return email ?? full_name;
}

function whoIs(api: Api): Promise<Data<'GET /auth/me'>> {
  return api.call('GET /auth/me', {});
}

const logout: Command = {
  name: 'logout',
  summary: 'Log out here and on the server',
  examples: ['logout'],
  async run(session) {
    const { credentials, url } = session;
    const login = credentials.find(url);
    if (login === undefined) {
      session.show({ url, logged_out: false }, () => `You were not logged in to ${url}.\n`);
      return;
    }
    // A machine token has no session to end.
    if (login.refresh_token !== undefined) {
      const plain = createSession(
        { ...session.terminal, env: withoutToken(session) },
        { options: { url }, version: session.version },
      );
      try {
        await plain.api().call('POST /auth/logout', {});
      } catch (error) {
        // The session has already ended or the server is gone; the local login is removed anyway.
        if (!(error instanceof CliError)) throw error;
        if (error.code === 'UNREACHABLE')
          session.terminal.err(`${error.message} The session on the server expires by itself.\n`);
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
  summary: 'Show your user, role and server',
  examples: ['whoami'],
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
