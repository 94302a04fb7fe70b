import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { confirmIn } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import type { Api } from '../client/api.ts';
import { READ_ENVIRONMENT } from '../input/options.ts';
import { parseRateLimits } from '../input/rate-limits.ts';
import { parseHours } from '../input/values.ts';
import { findEnvironmentById, findTarget } from '../lookup/find.ts';
import { CliError, usageError } from '../output/errors.ts';

import { utcAndLocal } from '../output/time-words.ts';
import type { Command } from '../session/command.ts';

const list: Command = {
  name: 'keys list',
  alias: 'keys',
  summary: 'List the SDK keys of an environment',
  options: ['project', 'environment'],
  optionSummaries: { environment: READ_ENVIRONMENT },
  examples: ['keys list -e production'],
  async run(session) {
    const { api, environment } = await findTarget(session, { useDefault: true });
    const keys = await api.all('GET /environments/{environment_id}/api-keys', {
      params: { environment_id: environment.id },
    });
    session.show(keys, () =>
      keys.length === 0
        ? `${environment.key} has no keys.\n`
        : session.table(keys, [
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
  summary: 'Create an SDK key; it is shown only once',
  args: [{ name: 'name', summary: 'Name of the key' }],
  options: [
    'project',
    'environment',
    'kind',
    'expires-at',
    'allow-origin',
    'allow-ip',
    'rate-limit',
    'comment',
    'dry-run',
  ],
  notes: 'Standard output contains only the key, for scripts.',
  examples: ['keys create "checkout service" -e production'],
  async run(session, { args, options }) {
    const { api, environment } = await findTarget(session, { useDefault: false });
    const { headers, query } = changeOptions(session);
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
        rate_limits: parseRateLimits(options['rate-limit']),
        comment: options.comment,
      },
    });
    await showChange(session, answer, ({ id, kind, key }) => {
      session.terminal.err(
        `Created ${kind} key ${id} of ${environment.key}. Store it now; it is not shown again:\n`,
      );
      return `${key}\n`;
    });
  },
};

const ID = { name: 'id', summary: 'Id of the key (key_…) from keys list' };

const update: Command = {
  name: 'keys update',
  summary: 'Change who may use an SDK key, its expiry or its rate limits',
  args: [ID],
  options: ['expires-at', 'allow-origin', 'allow-ip', 'rate-limit', 'yes', 'comment', 'dry-run'],
  notes: 'Each list replaces the whole list of the key.',
  examples: ['keys update key_01k3 --rate-limit ruleset=1000,events=5000'],
  async run(session, { args: [id], options }) {
    const body = {
      expires_at: options['expires-at'],
      allowed_origins: options['allow-origin'],
      allowed_ips: options['allow-ip'],
      rate_limits: parseRateLimits(options['rate-limit']),
    };
    if (Object.values(body).every((value) => value === undefined)) {
      throw usageError('Nothing to change. Name at least one option, such as --rate-limit ruleset=1000.');
    }
    const api = session.api();
    const target = await targetOfKey(api, id!);
    await confirmIn(session, target, `Change ${id}`);
    const { headers, query } = changeOptions(session);
    const answer = await api.change('PATCH /api-keys/{key_id}', {
      params: { key_id: id! },
      headers,
      query,
      body: { ...body, comment: options.comment },
    });
    await showChange(session, answer, ({ rate_limits: limits }) => {
      const own = Object.entries(limits).map(([name, count]) => `${name}=${count}`);
      return `Changed ${id} of ${target.environment.key}. Its own rate limits: ${own.join(', ') || 'none'}.\n`;
    });
  },
};

const MINUTES_AN_HOUR = 60;
const GRACE_HOURS_MAX = 168;

const rotate: Command = {
  name: 'keys rotate',
  summary: 'Replace the secret of an SDK key; the old one works for another day',
  args: [ID],
  options: ['grace', 'yes', 'comment', 'dry-run'],
  notes:
    'Standard output contains only the new key, for scripts. For a leaked key, use --grace 0 or keys revoke.',
  examples: ['keys rotate key_01k3', 'keys rotate key_01k3 --grace 0 -m "Leaked"'],
  async run(session, { args: [id], options }) {
    const hours = parseHours('--grace', options.grace, GRACE_HOURS_MAX);
    const api = session.api();
    const target = await targetOfKey(api, id!);
    const end = hours === 0 ? ' and stop the old key immediately' : '';
    await confirmIn(session, target, `Rotate ${id}${end}`);
    const { headers, query } = changeOptions(session);
    const answer = await api.change('POST /api-keys/{key_id}/rotate', {
      params: { key_id: id! },
      headers,
      query,
      body: {
        grace_minutes: hours === undefined ? undefined : hours * MINUTES_AN_HOUR,
        comment: options.comment,
      },
    });
    await showChange(session, answer, ({ key, rotation_ends_at: until }) => {
      const old = until === null ? 'no longer works' : `works until ${utcAndLocal(until)}`;
      session.terminal.err(
        `Rotated ${id} of ${target.environment.key}. The old key ${old}. Store the new one now; it is not shown again:\n`,
      );
      return `${key}\n`;
    });
  },
};

const revoke: Command = {
  name: 'keys revoke',
  summary: 'Revoke an SDK key immediately',
  args: [ID],
  options: ['yes', 'comment', 'dry-run'],
  examples: ['keys revoke key_01k3 -m "Leaked"'],
  async run(session, { args: [id] }) {
    const { headers, query } = bodilessChangeOptions(session);
    const api = session.api();
    const target = await targetOfKey(api, id!);
    await confirmIn(session, target, `Revoke ${id}`);
    const answer = await api.change('DELETE /api-keys/{key_id}', { params: { key_id: id! }, headers, query });
    const { key } = target.environment;
    await showChange(session, answer ?? { id, status: 'revoked' }, () => `Revoked ${id} of ${key}.\n`);
  },
};

/** The environment of a key, from a dry run of its revocation, because the API has no look-up by key id. */
async function targetOfKey(api: Api, id: string) {
  const trial = await api.change('DELETE /api-keys/{key_id}', {
    params: { key_id: id },
    query: { dry_run: true },
  });
  const environmentId = trial?.plan[0]?.resource?.environment_id;
  const target = await findEnvironmentById(api, environmentId ?? '');
  if (target === undefined) throw new CliError(`Cannot read the environment of ${id}.`);
  return target;
}

export const keyCommands: readonly Command[] = [list, create, update, rotate, revoke];
