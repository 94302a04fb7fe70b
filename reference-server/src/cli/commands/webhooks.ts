import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { confirm } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import type { Api } from '../client/api.ts';
import type { Item } from '../client/document.ts';
import type { OptionName } from '../input/options.ts';
import { parseHours } from '../input/values.ts';
import { findProject, listEnvironments, pick } from '../lookup/find.ts';
import { CliError, EXIT, usageError } from '../output/errors.ts';
import { withCommands } from '../output/shell-line.ts';
import { renderFields } from '../output/table.ts';
import type { Command } from '../session/command.ts';
import { commandLine } from '../session/command-line.ts';
import type { Session } from '../session/session.ts';

type Webhook = Item<'GET /webhooks'>;

/** The first argument of every command about one webhook. */
export const WEBHOOK = { name: 'webhook', summary: 'Id (whk_…) or address of the webhook' };
const FIELDS = [
  'event',
  'project',
  'environment',
  'tag',
  'description',
  'header-stdin',
  'payload',
  'comment',
  'dry-run',
] as const satisfies readonly OptionName[];
const SUMMARIES = {
  environment: 'Only changes in this environment; repeatable. Default: all.',
  tag: 'Only changes of flags with this tag; repeatable.',
  description: 'Purpose of the webhook.',
};

const list: Command = {
  name: 'webhooks list',
  alias: 'webhooks',
  summary: 'List the webhooks',
  examples: ['webhooks list'],
  async run(session) {
    const found = await session.api().all('GET /webhooks', {});
    session.show(found, () =>
      found.length === 0
        ? 'There are no webhooks.\n'
        : session.table(found, [
            { head: 'ADDRESS', cell: ({ url }) => url },
            { head: 'EVENTS', cell: ({ events }) => events.join(', ') },
            { head: 'STATUS', cell: stateOf },
            { head: 'LAST SUCCESS', cell: (one) => one.last_success_at },
            { head: 'ID', cell: ({ id }) => id, isExtra: true },
          ]),
    );
  },
};

function stateOf({ status, disabled_reason: reason, failing_since: since }: Webhook): string {
  if (status === 'disabled') return `disabled${reason === null ? '' : `: ${reason}`}`;
  return since === null ? 'enabled' : `failing since ${since}`;
}

const get: Command = {
  name: 'webhooks get',
  summary: 'Show a webhook and the key that verifies its signatures',
  args: [WEBHOOK],
  examples: ['webhooks get whk_01k3'],
  async run(session, { args: [wanted] }) {
    const api = session.api();
    const params = { webhook_id: (await findWebhook(api, wanted!)).id };
    const webhook = await api.call('GET /webhooks/{webhook_id}', { params });
    const { public_key } = await api.call('GET /webhooks/{webhook_id}/public-key', { params });
    session.show({ ...webhook, public_key }, () => renderWebhook({ ...webhook, public_key }));
  },
};

const create: Command = {
  name: 'webhooks create',
  summary: 'Send a signed request to an address when something changes',
  args: [{ name: 'address', summary: 'Address of the receiver, https://…' }],
  options: [...FIELDS, 'signing'],
  optionSummaries: { ...SUMMARIES, project: 'Only changes in this project. Default: all projects.' },
  notes: 'Standard output contains only the secret that verifies the signatures; it is shown only once.',
  examples: [
    'webhooks create https://hooks.example.com/flags --event "flag.*" -e production',
    'webhooks create https://hooks.example.com/flags --event flag.toggled --header-stdin < headers.txt',
  ],
  async run(session, { args: [url], options }) {
    if (options.event === undefined)
      throw usageError('No event is given.', 'Name events with --event, such as --event "flag.*".');
    const api = session.api();
    const project = options.project === undefined ? undefined : await findProject(session, api);
    const { headers, query } = changeOptions(session);
    const answer = await api.change('POST /webhooks', {
      headers,
      query,
      body: {
        ...(await fieldsOf(session, api)),
        url: url!,
        events: [...options.event],
        project_id: project?.id,
        signing: options.signing,
        comment: options.comment,
      },
    });
    await showChange(session, answer, (done) => {
      const testing = commandLine(session, ['webhooks', 'test', done.id]);
      const kept = done.secret === undefined ? '' : ' The secret, which is not shown again:';
      session.terminal.err(
        `${withCommands(`Created ${done.id}. To send a test:`, testing)}\n${kept === '' ? '' : `${kept.trim()}\n`}`,
      );
      return `${done.secret ?? done.public_key}\n`;
    });
  },
};

const update: Command = {
  name: 'webhooks update',
  summary: 'Change the address, the events or the filters of a webhook',
  args: [WEBHOOK],
  options: [...FIELDS, 'address', 'yes'],
  optionSummaries: { ...SUMMARIES, project: 'Project that contains the environments.' },
  notes: 'Each list replaces the whole list of the webhook.',
  examples: ['webhooks update whk_01k3 --event "flag.*" --event "segment.*"'],
  async run(session, { args: [wanted], options }) {
    const api = session.api();
    const webhook = await findWebhook(api, wanted!);
    const body = {
      ...(await fieldsOf(session, api)),
      url: options.address,
      events: options.event === undefined ? undefined : [...options.event],
    };
    if (Object.values(body).every((value) => value === undefined)) {
      throw usageError('Nothing to change.', 'Name at least one option, such as --event or --address.');
    }
    const { headers, query } = changeOptions(session);
    const answer = await api.change('PATCH /webhooks/{webhook_id}', {
      params: { webhook_id: webhook.id },
      headers: { ...headers, 'if-match': `"${webhook.revision}"` },
      query,
      body: { ...body, comment: options.comment },
    });
    await showChange(session, answer, renderWebhook);
  },
};

const remove: Command = {
  name: 'webhooks delete',
  summary: 'Delete a webhook with its messages',
  args: [WEBHOOK],
  options: ['yes', 'comment', 'dry-run'],
  examples: ['webhooks delete whk_01k3'],
  async run(session, { args: [wanted] }) {
    const api = session.api();
    const { id, url } = await findWebhook(api, wanted!);
    await confirm(session, { action: `Delete the webhook for ${url}`, name: 'the organization' });
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await api.change('DELETE /webhooks/{webhook_id}', {
      params: { webhook_id: id },
      headers,
      query,
    });
    await showChange(session, answer ?? { id, status: 'deleted' }, () => `Deleted ${id}.\n`);
  },
};

const OVERLAP_HOURS_MAX = 168;

const rotate: Command = {
  name: 'webhooks rotate-secret',
  summary: 'Replace the secret of a webhook; messages carry both signatures for a while',
  args: [WEBHOOK],
  options: ['grace', 'yes', 'comment', 'dry-run'],
  optionSummaries: { grace: 'Hours for which messages carry both signatures. Default 24.' },
  notes: 'Standard output contains only the new secret.',
  examples: ['webhooks rotate-secret whk_01k3 --grace 48'],
  async run(session, { args: [wanted], options }) {
    const hours = parseHours('--grace', options.grace, OVERLAP_HOURS_MAX);
    const api = session.api();
    const { id, url } = await findWebhook(api, wanted!);
    await confirm(session, { action: `Rotate the secret for ${url}`, name: 'the organization' });
    const { headers, query } = changeOptions(session);
    const answer = await api.change('POST /webhooks/{webhook_id}/rotate-secret', {
      params: { webhook_id: id },
      headers,
      query,
      body: { overlap_hours: hours, comment: options.comment },
    });
    await showChange(session, answer, (done) => {
      const until = done.previous_secret_expires_at;
      const old = until === null ? 'no longer signs' : `signs too until ${until}`;
      session.terminal.err(
        `Rotated the secret of ${id}; the old one ${old}. Store the new one now; it is not shown again:\n`,
      );
      return `${done.secret ?? done.public_key}\n`;
    });
  },
};

const enable: Command = {
  name: 'webhooks enable',
  summary: 'Enable a webhook that was disabled after many failures',
  args: [WEBHOOK],
  options: ['comment', 'dry-run'],
  examples: ['webhooks enable whk_01k3'],
  async run(session, { args: [wanted] }) {
    const api = session.api();
    const { id } = await findWebhook(api, wanted!);
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await api.change('POST /webhooks/{webhook_id}/enable', {
      params: { webhook_id: id },
      headers,
      query,
    });
    await showChange(session, answer, (done) => `${done.id} is ${done.status}.\n`);
  },
};

const test: Command = {
  name: 'webhooks test',
  summary: 'Send a test message and show how the receiver answers',
  args: [WEBHOOK],
  notes: 'Exits with 1 if the receiver does not accept it.',
  examples: ['webhooks test whk_01k3'],
  async run(session, { args: [wanted] }) {
    const api = session.api();
    const { id } = await findWebhook(api, wanted!);
    const done = await api.call('POST /webhooks/{webhook_id}/test', { params: { webhook_id: id } });
    session.show(done, () => {
      const answer = done.status_code === null ? (done.fault ?? 'no answer') : `status ${done.status_code}`;
      return `The test ${done.status} after ${done.duration_ms} ms: ${answer}.\n`;
    });
    return done.status === 'succeeded' ? 0 : 1;
  },
};

/** The webhook with this id or address. Throws WEBHOOK_NOT_FOUND. */
export async function findWebhook(api: Api, wanted: string): Promise<Webhook> {
  const webhooks = await api.all('GET /webhooks', {});
  const found = webhooks.filter(({ id, url }) => id === wanted || url === wanted);
  if (found.length > 1)
    throw usageError(
      `Several webhooks send to ${wanted}.`,
      `Name one by its id: ${found.map(({ id }) => id).join(', ')}.`,
    );
  if (found[0] !== undefined) return found[0];
  return webhooks.find(
    ({ id }) =>
      id ===
      pick(
        'webhook',
        wanted,
        webhooks.map(({ id: own, url }) => ({ id: own, key: url })),
      ).id,
  )!;
}

async function fieldsOf(session: Session, api: Api) {
  const { environment, tag, description, payload } = session.options;
  const environments =
    environment === undefined ? [] : await listEnvironments(api, await findProject(session, api));
  return {
    environment_ids: environment?.map((one) => pick('environment', one, environments).id),
    tags: tag === undefined ? undefined : [...tag],
    description,
    payload,
    headers:
      session.options['header-stdin'] === true ? parseHeaders(await session.terminal.readInput()) : undefined,
  };
}

/** Headers often contain secrets, so that they come from standard input. */
function parseHeaders(text: string): Record<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line, index) => {
      const at = line.indexOf(':');
      if (at > 0) return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      throw new CliError(`Line ${index + 1} of standard input is no header.`, {
        code: 'USAGE',
        exitCode: EXIT.usage,
        hint: 'Write one "Name: value" per line.',
      });
    }),
  );
}

function renderWebhook(webhook: Webhook): string {
  return renderFields([
    ['webhook', webhook.url],
    ['description', webhook.description],
    ['events', webhook.events.join(', ')],
    ['status', stateOf(webhook)],
    ['environments', webhook.environment_ids.length === 0 ? 'all' : webhook.environment_ids.join(', ')],
    ['tags', webhook.tags.join(', ')],
    ['headers', webhook.header_names.join(', ')],
    ['payload', webhook.payload],
    ['signing', webhook.signing],
    ['public key', webhook.public_key],
    ['id', webhook.id],
  ]);
}

export const webhookCommands: readonly Command[] = [list, get, create, update, remove, rotate, enable, test];
