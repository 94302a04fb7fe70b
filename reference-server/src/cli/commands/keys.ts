import { bodilessParts, confirmIn, showWritten, writeParts } from '../changes/write.ts';
import type { Api } from '../client/api.ts';
import { whereIs } from '../help/hints.ts';
import { bothTimes } from '../input/times.ts';
import { readHours } from '../input/values.ts';
import { findPlace } from '../lookup/find.ts';
import { CliError } from '../output/errors.ts';
import { renderTable } from '../output/table.ts';
import type { Command } from '../session/command.ts';

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

const ID = { name: 'id', summary: 'Id of the key, key_…, as keys list shows it' };
const MINUTES_AN_HOUR = 60;
const GRACE_HOURS_MAX = 168;

const rotate: Command = {
  name: 'keys rotate',
  summary: 'Give an SDK key a new secret; the old one goes on working for a day',
  args: [ID],
  options: ['grace', 'yes', 'comment', 'dry-run'],
  notes:
    'Only the new key is written to standard output, so that it can be kept by a script. A key that has leaked: --grace 0, or keys revoke.',
  examples: ['keys rotate key_01k3', 'keys rotate key_01k3 --grace 0 -m "Leaked"'],
  async run(session, { args: [id], options }) {
    const hours = readHours('--grace', options.grace, GRACE_HOURS_MAX);
    const api = session.api();
    const place = await placeOfKey(api, id!);
    const end = hours === 0 ? ', and end the old one at once,' : '';
    await confirmIn(session, place, `Rotate ${id}${end}`);
    const { headers, query } = writeParts(session);
    const answer = await api.change('POST /api-keys/{key_id}/rotate', {
      params: { key_id: id! },
      headers,
      query,
      body: {
        grace_minutes: hours === undefined ? undefined : hours * MINUTES_AN_HOUR,
        comment: options.comment,
      },
    });
    showWritten(session, answer, ({ key, rotation_ends_at: until }) => {
      const old = until === null ? 'has ended' : `works until ${bothTimes(until)}`;
      session.terminal.err(
        `Rotated ${id} of ${place.environment.key}. The old key ${old}. Keep the new one now; it is not shown again:\n`,
      );
      return `${key}\n`;
    });
  },
};

const revoke: Command = {
  name: 'keys revoke',
  summary: 'Revoke an SDK key at once',
  args: [ID],
  options: ['yes', 'comment', 'dry-run'],
  async run(session, { args: [id] }) {
    const { headers, query } = bodilessParts(session);
    const api = session.api();
    const place = await placeOfKey(api, id!);
    await confirmIn(session, place, `Revoke ${id}`);
    const answer = await api.change('DELETE /api-keys/{key_id}', { params: { key_id: id! }, headers, query });
    const { key } = place.environment;
    showWritten(session, answer ?? { id, status: 'revoked' }, () => `Revoked ${id} of ${key}.\n`);
  },
};

/** Where a key is: only trying to change it tells. Throws what would refuse that. */
async function placeOfKey(api: Api, id: string) {
  const tried = await api.change('DELETE /api-keys/{key_id}', {
    params: { key_id: id },
    query: { dry_run: true },
  });
  const environmentId = tried?.plan[0]?.resource?.environment_id;
  const place = await whereIs(api, environmentId ?? '');
  if (place === undefined) throw new CliError(`The environment of ${id} cannot be read.`);
  return place;
}

export const keyCommands: readonly Command[] = [list, create, rotate, revoke];
