import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { confirm } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import { parseTime } from '../input/times.ts';
import { usageError } from '../output/errors.ts';
import type { Command } from '../session/command.ts';

type Scope = 'read' | 'code_references:write' | 'flags:write' | 'admin';

const listSessions: Command = {
  name: 'sessions list',
  alias: 'sessions',
  summary: 'List your logins on all devices',
  examples: ['sessions list'],
  async run(session) {
    const found = await session.api().all('GET /auth/sessions', {});
    session.show(found, () =>
      session.table(found, [
        { head: 'THIS ONE', cell: ({ current }) => current },
        { head: 'DEVICE', cell: (one) => one.user_agent },
        { head: 'ADDRESS', cell: ({ ip }) => ip },
        { head: 'LAST USED', cell: (one) => one.last_used_at },
        { head: 'EXPIRES', cell: (one) => one.expires_at },
        { head: 'ID', cell: ({ id }) => id },
      ]),
    );
  },
};

const revokeSession: Command = {
  name: 'sessions revoke',
  summary: 'End one of your logins, or all others',
  args: [{ name: 'id', summary: 'Id from sessions list', isOptional: true }],
  options: ['others', 'yes', 'dry-run'],
  examples: ['sessions revoke ses_01k3', 'sessions revoke --others'],
  async run(session, { args: [id], options }) {
    if ((id === undefined) === (options.others !== true))
      throw usageError('Name a session, or use --others.');
    const { query } = changeOptions(session);
    const api = session.api();
    await confirm(session, {
      action: id === undefined ? 'End all other sessions' : `End session ${id}`,
      name: session.url,
    });
    const answer =
      id === undefined
        ? await api.change('DELETE /auth/sessions', { query })
        : await api.change('DELETE /auth/sessions/{session_id}', { params: { session_id: id }, query });
    await showChange(session, answer ?? { status: 'revoked' }, () =>
      id === undefined ? 'Ended all other sessions.\n' : `Ended ${id}.\n`,
    );
  },
};

const listTokens: Command = {
  name: 'tokens list',
  alias: 'tokens',
  summary: 'List your personal tokens',
  examples: ['tokens list'],
  async run(session) {
    const found = await session.api().all('GET /auth/tokens', {});
    session.show(found, () =>
      found.length === 0
        ? 'You have no personal tokens.\n'
        : session.table(found, [
            { head: 'NAME', cell: ({ name }) => name },
            { head: 'TOKEN', cell: (one) => `pat_…${one.last_four}` },
            { head: 'SCOPES', cell: ({ scopes }) => scopes.join(', ') },
            { head: 'STATUS', cell: ({ status }) => status },
            { head: 'LAST USED', cell: (one) => one.last_used_at },
            { head: 'EXPIRES', cell: (one) => one.expires_at },
            { head: 'ID', cell: ({ id }) => id },
          ]),
    );
  },
};

const createToken: Command = {
  name: 'tokens create',
  summary: 'Create a personal token for your scripts; it is shown only once',
  args: [{ name: 'name', summary: 'Name of the token' }],
  options: ['scope', 'expires-at', 'dry-run'],
  optionSummaries: {
    'expires-at': 'Expiry time: ISO 8601, or +30d; at most one year ahead. Default: in 90 days.',
  },
  notes: 'Standard output contains only the token. Scripts of a team should use a service account instead.',
  examples: ['tokens create laptop --scope flags:write --expires-at +30d'],
  async run(session, { args: [name], options }) {
    const { query } = changeOptions(session);
    const expires = options['expires-at'];
    const answer = await session.api().change('POST /auth/tokens', {
      query,
      body: {
        name: name!,
        scopes: [...(options.scope ?? ['read'])] as Scope[],
        expires_at: expires === undefined ? undefined : parseTime('--expires-at', expires),
      },
    });
    await showChange(session, answer, ({ id, token, expires_at }) => {
      session.terminal.err(
        `Created token ${id}, valid until ${expires_at}. Store it now; it is not shown again:\n`,
      );
      return `${token}\n`;
    });
  },
};

const revokeToken: Command = {
  name: 'tokens revoke',
  summary: 'Revoke one of your personal tokens immediately',
  args: [{ name: 'id', summary: 'Id of the token (pat_…) from tokens list' }],
  options: ['yes', 'comment', 'dry-run'],
  examples: ['tokens revoke pat_01k3'],
  async run(session, { args: [id] }) {
    await confirm(session, { action: `Revoke ${id}`, name: 'your account' });
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await session.api().change('DELETE /auth/tokens/{token_id}', {
      params: { token_id: id! },
      headers,
      query,
    });
    await showChange(session, answer ?? { id, status: 'revoked' }, () => `Revoked ${id}.\n`);
  },
};

export const sessionCommands: readonly Command[] = [listSessions, revokeSession];
export const tokenCommands: readonly Command[] = [listTokens, createToken, revokeToken];
