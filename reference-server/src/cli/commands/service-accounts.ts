import { bodilessParts, confirm, showWritten, writeParts } from '../changes/write.ts';
import type { Api } from '../client/api.ts';
import type { Item } from '../client/document.ts';
import { findProject, pick } from '../lookup/find.ts';
import { usageError } from '../output/errors.ts';
import { renderTable } from '../output/table.ts';
import type { Command } from '../session/command.ts';

type Account = Item<'GET /service-accounts'>;

const ACCOUNT = { name: 'name', summary: 'Name or id of the service account' };

const list: Command = {
  name: 'service-accounts list',
  summary: 'List the programs that have an account of their own',
  async run(session) {
    const accounts = await session.api().all('GET /service-accounts', {});
    session.show(accounts, () =>
      accounts.length === 0
        ? 'There are no service accounts.\n'
        : renderTable(accounts, [
            { head: 'NAME', cell: ({ name }) => name },
            { head: 'KIND', cell: ({ kind }) => kind },
            { head: 'ROLE', cell: ({ role }) => role },
            { head: 'STATUS', cell: ({ status }) => status },
            { head: 'LAST USED', cell: (account) => account.last_used_at },
            { head: 'ID', cell: ({ id }) => id },
          ]),
    );
  },
};

const create: Command = {
  name: 'service-accounts create',
  summary: 'Create an account for a program; give it a token with service-accounts token',
  args: [{ name: 'name', summary: 'What the account is called in the audit log' }],
  options: ['role', 'project', 'agent', 'description', 'comment', 'dry-run'],
  says: { project: 'The only project that the role is for.', description: 'What the account is for.' },
  examples: ['service-accounts create "deploys of the shop" --role editor --project shop'],
  async run(session, { args: [name], options }) {
    const api = session.api();
    const role = (options.role ?? 'viewer') as Account['role'];
    const project = options.project === undefined ? undefined : await findProject(session, api);
    const { headers, query } = writeParts(session);
    const answer = await api.change('POST /service-accounts', {
      headers,
      query,
      body: {
        name: name!,
        kind: options.agent === true ? 'agent' : 'service_account',
        description: options.description,
        role: project === undefined ? role : 'viewer',
        project_roles: project && [{ project_id: project.id, role }],
        comment: options.comment,
      },
    });
    showWritten(session, answer, ({ id }) => `Created ${id}. It can do nothing until it has a token.\n`);
  },
};

const token: Command = {
  name: 'service-accounts token',
  summary: 'Make a token of a service account; it is shown this once',
  args: [ACCOUNT],
  options: ['scope', 'expires-at', 'name', 'comment', 'dry-run'],
  says: {
    name: 'What the token is for; default: token.',
    'expires-at': 'At most in a year; default in 90 days.',
  },
  notes: 'Only the token itself is written to standard output, so that it can be kept by a script.',
  examples: ['service-accounts token "deploys of the shop" --scope flags:write'],
  async run(session, { args: [wanted], options }) {
    const api = session.api();
    const account = await findAccount(api, wanted!);
    const { headers, query } = writeParts(session);
    const answer = await api.change('POST /service-accounts/{service_account_id}/tokens', {
      params: { service_account_id: account.id },
      headers,
      query,
      body: {
        name: options.name ?? 'token',
        scopes: (options.scope ?? ['read']) as ('read' | 'code_references:write' | 'flags:write' | 'admin')[],
        expires_at: options['expires-at'],
        comment: options.comment,
      },
    });
    showWritten(session, answer, ({ id, token: secret, expires_at }) => {
      const until = `${id} of ${account.name}, good until ${expires_at}`;
      session.terminal.err(`Created token ${until}. Keep it now; it is not shown again:\n`);
      return `${secret}\n`;
    });
  },
};

const tokens: Command = {
  name: 'service-accounts tokens',
  summary: 'List the tokens of a service account',
  args: [ACCOUNT],
  async run(session, { args: [wanted] }) {
    const api = session.api();
    const { id: service_account_id } = await findAccount(api, wanted!);
    const own = await api.all('GET /service-accounts/{service_account_id}/tokens', {
      params: { service_account_id },
    });
    session.show(own, () =>
      own.length === 0
        ? 'It has no tokens.\n'
        : renderTable(own, [
            { head: 'NAME', cell: ({ name }) => name },
            { head: 'TOKEN', cell: ({ last_four }) => `svc_…${last_four}` },
            { head: 'SCOPES', cell: ({ scopes }) => scopes.join(', ') },
            { head: 'STATUS', cell: ({ status }) => status },
            { head: 'LAST USED', cell: ({ last_used_at }) => last_used_at },
            { head: 'EXPIRES', cell: ({ expires_at }) => expires_at },
            { head: 'ID', cell: ({ id }) => id },
          ]),
    );
  },
};

const revoke: Command = {
  name: 'service-accounts revoke',
  summary: 'Revoke a token of a service account at once',
  args: [ACCOUNT, { name: 'token', summary: 'Id of the token, svt_…; service-accounts tokens shows it' }],
  options: ['yes', 'comment', 'dry-run'],
  says: { yes: 'Do not ask before.' },
  async run(session, { args: [wanted, id] }) {
    const api = session.api();
    const account = await findAccount(api, wanted!);
    await confirm(session, { what: `Revoke ${id}`, name: account.name });
    const { headers, query } = bodilessParts(session);
    const answer = await api.change(
      'DELETE /service-accounts/{service_account_id}/tokens/{service_token_id}',
      {
        params: { service_account_id: account.id, service_token_id: id! },
        headers,
        query,
      },
    );
    showWritten(session, answer ?? { id, status: 'revoked' }, () => `Revoked ${id}.\n`);
  },
};

const remove: Command = {
  name: 'service-accounts delete',
  summary: 'Delete a service account; its tokens end at once',
  args: [ACCOUNT],
  options: ['yes', 'comment', 'dry-run'],
  says: { yes: 'Do not ask before.' },
  async run(session, { args: [wanted] }) {
    const api = session.api();
    const { id, name } = await findAccount(api, wanted!);
    await confirm(session, { what: `Delete ${name}`, name: 'the organization' });
    const { headers, query } = bodilessParts(session);
    const answer = await api.change('DELETE /service-accounts/{service_account_id}', {
      params: { service_account_id: id },
      headers,
      query,
    });
    showWritten(session, answer ?? { id, status: 'deleted' }, () => `Deleted ${name}.\n`);
  },
};

/** By id or by name; several may have the same name. */
async function findAccount(api: Api, wanted: string): Promise<Account> {
  const accounts = await api.all('GET /service-accounts', {});
  const found = accounts.find(({ id }) => id === wanted);
  if (found !== undefined) return found;
  const named = accounts.map((account) => ({ ...account, key: account.name }));
  const [first, second] = named.filter(({ name }) => name === wanted);
  if (first === undefined || second === undefined) return first ?? pick('service account', wanted, named);
  const ids = named.filter(({ name }) => name === wanted).map(({ id }) => id);
  throw usageError(
    `Several service accounts are called "${wanted}".`,
    `Name one by its id: ${ids.join(', ')}.`,
  );
}

export const serviceAccountCommands: readonly Command[] = [list, create, token, tokens, revoke, remove];
