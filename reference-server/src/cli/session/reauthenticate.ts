import type { Api } from '../client/api.ts';
import { CliError } from '../output/errors.ts';
import type { Terminal } from '../output/terminal.ts';

/** Confirms the password of the login. Asks for the code of a second factor if there is one and none is given. */
export async function reauthenticate(
  api: Api,
  terminal: Terminal,
  { password, code }: { readonly password: string; readonly code?: string | undefined },
) {
  const send = (typed: string | undefined) =>
    api.call('POST /auth/reauthenticate', { body: { password, code: typed } });
  return send(code).catch(async (error: unknown) => {
    const needsCode = error instanceof CliError && error.code === 'MFA_REQUIRED';
    if (!needsCode || !terminal.isInteractive) throw error;
    return send((await terminal.ask('Code from your authenticator app: ')).trim());
  });
}
