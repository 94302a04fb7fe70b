import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { confirm } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
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
  summary: 'List the service accounts',
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
  summary: 'Create an account for a program',
  args: [{ name: 'name', summary: 'Name of the account in the audit log' }],
  options: ['role', 'project', 'agent', 'description', 'comment', 'dry-run'],
  optionSummaries: {
    project: 'Project in which the account has the role.',
    description: 'Purpose of the account.',
  },
  examples: ['service-accounts create "shop deploys" --role editor --project shop'],
  async run(session, { args: [name], options }) {
    const api = session.api();
    const role = (options.role ?? 'viewer') as Account['role'];
    const project = options.project === undefined ? undefined : await findProject(session, api);
    const { headers, query } = changeOptions(session);
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
    showChange(
      session,
      answer,
      ({ id }) => `Created ${id}. Create a token for it with service-accounts token.\n`,
    );
  },
};

const token: Command = {
  name: 'service-accounts token',
  summary: 'Create a token for a service account; it is shown only once',
  args: [ACCOUNT],
  options: ['scope', 'expires-at', 'name', 'comment', 'dry-run'],
  optionSummaries: {
    name: 'Name of the token. Default: token.',
    'expires-at': 'Expiry time (ISO 8601), at most one year ahead. Default: in 90 days.',
  },
  notes: 'Standard output contains only the token, for scripts.',
  examples: ['service-accounts token "shop deploys" --scope flags:write'],
  async run(session, { args: [wanted], options }) {
    const api = session.api();
    const account = await findAccount(api, wanted!);
    const { headers, query } = changeOptions(session);
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
    showChange(session, answer, ({ id, token: secret, expires_at }) => {
      const until = `${id} of ${account.name}, valid until ${expires_at}`;
      session.terminal.err(`Created token ${until}. Store it now; it is not shown again:\n`);
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
        ? 'The account has no tokens.\n'
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
  summary: 'Revoke a token of a service account immediately',
  args: [ACCOUNT, { name: 'token', summary: 'Id of the token (svt_…) from service-accounts tokens' }],
  options: ['yes', 'comment', 'dry-run'],
  async run(session, { args: [wanted, id] }) {
    const api = session.api();
    const account = await findAccount(api, wanted!);
    await confirm(session, { action: `Revoke ${id}`, name: account.name });
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await api.change(
      'DELETE /service-accounts/{service_account_id}/tokens/{service_token_id}',
      {
        params: { service_account_id: account.id, service_token_id: id! },
        headers,
        query,
      },
    );
    showChange(session, answer ?? { id, status: 'revoked' }, () => `Revoked ${id}.\n`);
  },
};

const remove: Command = {
  name: 'service-accounts delete',
  summary: 'Delete a service account and its tokens',
  args: [ACCOUNT],
  options: ['yes', 'comment', 'dry-run'],
  async run(session, { args: [wanted] }) {
    const api = session.api();
    const { id, name } = await findAccount(api, wanted!);
    await confirm(session, { action: `Delete ${name}`, name: 'the organization' });
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await api.change('DELETE /service-accounts/{service_account_id}', {
      params: { service_account_id: id },
      headers,
      query,
    });
    showChange(session, answer ?? { id, status: 'deleted' }, () => `Deleted ${name}.\n`);
  },
};

/** Finds an account by id or by name; names are not unique. */
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
