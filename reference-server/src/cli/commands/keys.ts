import type { Command } from '../command.ts';
import { findPlace } from '../find.ts';
import { renderTable } from '../table.ts';
import { bodilessParts, confirmChange, showWritten, writeParts } from '../writing.ts';

const list: Command = {
  name: 'keys list',
  summary: 'List the SDK keys of an environment',
  options: ['project', 'environment'],
  async run(session) {
    const { api, environment } = await findPlace(session, { isDefaultGood: true });
    const keys = await api.all('GET /environments/{environment_id}/api-keys', {
      params: { environment_id: environment.id },
    });
    session.show(keys, () =>
      keys.length === 0
        ? `There are no keys of ${environment.key}.\n`
        : renderTable(keys, [
            { head: 'NAME', cell: ({ name }) => name },
            { head: 'KEY', cell: (key) => `${key.prefix}…${key.last_four}` },
            { head: 'KIND', cell: ({ kind }) => kind },
            { head: 'STATUS', cell: ({ status }) => status },
            { head: 'LAST USED', cell: (key) => key.last_used_at },
            { head: 'EXPIRES', cell: (key) => key.expires_at },
            { head: 'ID', cell: ({ id }) => id },
          ]),
    );
  },
};

const create: Command = {
  name: 'keys create',
  summary: 'Create an SDK key; it is shown this once',
  args: [{ name: 'name', summary: 'What the key is for' }],
  options: ['project', 'environment', 'kind', 'expires-at', 'allow-origin', 'allow-ip', 'comment', 'dry-run'],
  notes: 'Only the key itself is written to standard output, so that it can be kept by a script.',
  examples: ['keys create "checkout service" -e production'],
  async run(session, { args, options }) {
    const { api, environment } = await findPlace(session, { isDefaultGood: false });
    const { headers, query } = writeParts(session);
    const answer = await api.change('POST /environments/{environment_id}/api-keys', {
      params: { environment_id: environment.id },
      headers,
      query,
      body: {
        name: args[0]!,
        kind: options.kind,
        expires_at: options['expires-at'],
        allowed_origins: options['allow-origin'],
        allowed_ips: options['allow-ip'],
        comment: options.comment,
      },
    });
    showWritten(session, answer, ({ id, kind, key }) => {
      session.terminal.err(
        `Created ${kind} key ${id} of ${environment.key}. Keep it now; it is not shown again:\n`,
      );
      return `${key}\n`;
    });
  },
};

const revoke: Command = {
  name: 'keys revoke',
  summary: 'Revoke an SDK key at once',
  args: [{ name: 'id', summary: 'Id of the key, key_…; flagsvc keys list shows it' }],
  options: ['yes', 'comment', 'dry-run'],
  says: { yes: 'Do not ask before.' },
  async run(session, { args: [id] }) {
    const api = session.api();
    await confirmChange(session, { key: 'its environment', confirm_changes: true }, `Revoke ${id}`);
    const { headers, query } = bodilessParts(session);
    const answer = await api.change('DELETE /api-keys/{key_id}', { params: { key_id: id! }, headers, query });
    showWritten(session, answer ?? { id, status: 'revoked' }, () => `Revoked ${id}.\n`);
  },
};

export const keyCommands: readonly Command[] = [list, create, revoke];
