import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { confirm } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import type { Api } from '../client/api.ts';
import type { Item } from '../client/document.ts';
import { parseHours } from '../input/values.ts';
import { findProject, listEnvironments, pick } from '../lookup/find.ts';
import { usageError } from '../output/errors.ts';

import { withCommands } from '../output/shell-line.ts';
import { renderFields } from '../output/table.ts';
import type { Command } from '../session/command.ts';
import { commandLine } from '../session/command-line.ts';

type Account = Item<'GET /service-accounts'>;

const ACCOUNT = { name: 'name', summary: 'Name or id of the service account' };

const TOKEN = { name: 'token', summary: 'Id of the token (svt_…) from service-accounts tokens' };

const list: Command = {
  name: 'service-accounts list',
  alias: 'service-accounts',
  summary: 'List the service accounts',
  examples: ['service-accounts list'],
  async run(session) {
    const accounts = await session.api().all('GET /service-accounts', {});
    session.show(accounts, () =>
      accounts.length === 0
        ? 'There are no service accounts.\n'
        : session.table(accounts, [
            { head: 'NAME', cell: ({ name }) => name },
            { head: 'KIND', cell: ({ kind }) => kind },
            { head: 'ROLE', cell: ({ role }) => role },
            { head: 'STATUS', cell: ({ status }) => status },
            { head: 'LAST USED', cell: (account) => account.last_used_at },
            { head: 'ID', cell: ({ id }) => id, isExtra: true },
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
    await showChange(
      session,
      answer,
      ({ id }) =>
        `${withCommands(`Created ${id}. To create a token for it:`, commandLine(session, ['service-accounts', 'token', id]))}\n`,
    );
  },
};

const update: Command = {
  name: 'service-accounts update',
  summary: 'Change the role, the limits or the name of a service account, or disable it',
  args: [ACCOUNT],
  options: [
    'name',
    'description',
    'role',
    'project',
    'environment',
    'all',
    'disabled',
    'yes',
    'comment',
    'dry-run',
  ],
  optionSummaries: {
    name: 'New name.',
    description: 'New description.',
    role: 'New role. With --project, the role applies only there.',
    project: 'Project in which the role applies, or that contains the environments.',
    environment: 'Limit the changes of the account to this environment; repeatable.',
    all: 'Lift the limit to environments.',
  },
  examples: [
    'service-accounts update "shop deploys" --role editor -e staging',
    'service-accounts update "shop deploys" --disabled -m "The pipeline moved"',
  ],
  async run(session, { args: [wanted], options }) {
    const { name, description, role, environment, all, disabled } = options;
    const api = session.api();
    const account = await findAccount(api, wanted!);
    const needsProject = options.project !== undefined || environment !== undefined;
    const project = needsProject ? await findProject(session, api) : undefined;
    const environments = environment && (await listEnvironments(api, project!));
    const isInProject = role !== undefined && options.project !== undefined && environment === undefined;
    const limits = environment?.map((one) => pick('environment', one, environments!).id);
    const body = {
      name,
      description,
      role: isInProject ? undefined : role,
      project_roles: isInProject ? [{ project_id: project!.id, role }] : undefined,
      environment_ids: all === true ? null : limits,
      disabled,
    };
    if (Object.values(body).every((value) => value === undefined)) {
      throw usageError('Nothing to change.', 'Name at least one option, such as --role or --disabled.');
    }
    await confirm(session, { action: `Change ${account.name}`, name: 'the organization' });
    const { headers, query } = changeOptions(session);
    const answer = await api.change('PATCH /service-accounts/{service_account_id}', {
      params: { service_account_id: account.id },
      headers: { ...headers, 'if-match': `"${account.revision}"` },
      query,
      body: { ...body, comment: options.comment },
    });
    await showChange(session, answer, (done) => `${done.name} is ${done.role} and ${done.status}.\n`);
  },
};

const show: Command = {
  name: 'service-accounts get',
  summary: 'Show a service account and its tokens',
  args: [ACCOUNT],
  examples: ['service-accounts get "shop deploys"'],
  async run(session, { args: [wanted] }) {
    const api = session.api();
    const params = { service_account_id: (await findAccount(api, wanted!)).id };
    const account = await api.call('GET /service-accounts/{service_account_id}', { params });
    const own = await api.all('GET /service-accounts/{service_account_id}/tokens', { params });
    session.show({ ...account, tokens: own }, () =>
      renderFields([
        ['account', account.name],
        ['description', account.description],
        ['kind', account.kind],
        ['role', account.role],
        ['status', account.status],
        ['tokens', own.map(({ name, id, status }) => `${name} (${id}, ${status})`).join(', ')],
        ['last used', account.last_used_at],
        ['id', account.id],
      ]),
    );
  },
};

const MINUTES_AN_HOUR = 60;
const GRACE_HOURS_MAX = 168;

const rotate: Command = {
  name: 'service-accounts rotate',
  summary: 'Replace a token of a service account; the old one works for another day',
  args: [ACCOUNT, TOKEN],
  options: ['grace', 'yes', 'comment', 'dry-run'],
  notes: 'Standard output contains only the new token, for scripts. For a leaked token, use --grace 0.',
  examples: [
    'service-accounts rotate "shop deploys" svt_01k3',
    'service-accounts rotate "shop deploys" svt_01k3 --grace 0',
  ],
  async run(session, { args: [wanted, id], options }) {
    const hours = parseHours('--grace', options.grace, GRACE_HOURS_MAX);
    const api = session.api();
    const account = await findAccount(api, wanted!);
    await confirm(session, { action: `Rotate ${id}`, name: account.name });
    const { headers, query } = changeOptions(session);
    const answer = await api.change(
      'POST /service-accounts/{service_account_id}/tokens/{service_token_id}/rotate',
      {
        params: { service_account_id: account.id, service_token_id: id! },
        headers,
        query,
        body: {
          grace_minutes: hours === undefined ? undefined : hours * MINUTES_AN_HOUR,
          comment: options.comment,
        },
      },
    );
    await showChange(session, answer, ({ id: fresh, token: secret, expires_at }) => {
      session.terminal.err(
        `Rotated ${id}; the new token ${fresh} is valid until ${expires_at}. Store it now; it is not shown again:\n`,
      );
      return `${secret}\n`;
    });
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
    await showChange(session, answer, ({ id, token: secret, expires_at }) => {
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
  examples: ['service-accounts tokens "shop deploys"'],
  async run(session, { args: [wanted] }) {
    const api = session.api();
    const { id: service_account_id } = await findAccount(api, wanted!);
    const own = await api.all('GET /service-accounts/{service_account_id}/tokens', {
      params: { service_account_id },
    });
    session.show(own, () =>
      own.length === 0
        ? 'The account has no tokens.\n'
        : session.table(own, [
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
  args: [ACCOUNT, TOKEN],
  options: ['yes', 'comment', 'dry-run'],
  examples: ['service-accounts revoke "shop deploys" svt_01k3'],
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
    await showChange(session, answer ?? { id, status: 'revoked' }, () => `Revoked ${id}.\n`);
  },
};

const remove: Command = {
  name: 'service-accounts delete',
  summary: 'Delete a service account and its tokens',
  args: [ACCOUNT],
  options: ['yes', 'comment', 'dry-run'],
  examples: ['service-accounts delete "shop deploys"'],
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
    await showChange(session, answer ?? { id, status: 'deleted' }, () => `Deleted ${name}.\n`);
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

export const serviceAccountCommands: readonly Command[] = [
  list,
  show,
  create,
  update,
  token,
  tokens,
  rotate,
  revoke,
  remove,
];
