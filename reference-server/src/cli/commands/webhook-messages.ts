import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { showChange } from '../changes/show-change.ts';
import type { Data } from '../client/document.ts';
import { parsePast } from '../input/times.ts';
import { parseCount } from '../input/values.ts';
import { usageError } from '../output/errors.ts';
import { renderFields } from '../output/table.ts';
import type { Command } from '../session/command.ts';
import type { Session } from '../session/session.ts';
import { findWebhook, WEBHOOK } from './webhooks.ts';

type Message = Data<'GET /webhook-messages/{message_id}'>;

const MESSAGE = { name: 'message', summary: 'Id of the message (msg_…) from webhooks deliveries' };

const deliveries: Command = {
  name: 'webhooks deliveries',
  summary: 'List the latest attempts to deliver messages of a webhook',
  args: [WEBHOOK],
  options: ['status', 'event', 'limit'],
  optionSummaries: { status: 'Only attempts with this result.', event: 'Only messages of this event.' },
  optionValues: { status: ['succeeded', 'failed'] },
  examples: ['webhooks deliveries whk_01k3 --status failed'],
  async run(session, { args: [wanted], options }) {
    if ((options.event?.length ?? 0) > 1) throw usageError('This command accepts only one --event.');
    const api = session.api();
    const { id } = await findWebhook(api, wanted!);
    const found = await api.all(
      'GET /webhooks/{webhook_id}/deliveries',
      {
        params: { webhook_id: id },
        query: {
          status: options.status as string | undefined as Message['deliveries'][number]['status'] | undefined,
          event: options.event?.[0],
        },
      },
      parseCount('--limit', options.limit, 100),
    );
    session.show(found, () => (found.length === 0 ? 'No attempts yet.\n' : renderAttempts(session, found)));
  },
};

function renderAttempts(session: Session, attempts: readonly Message['deliveries'][number][]): string {
  return session.table(attempts, [
    { head: 'WHEN', cell: ({ timestamp }) => timestamp },
    { head: 'EVENT', cell: ({ type }) => type },
    { head: 'ATTEMPT', cell: ({ attempt }) => attempt, align: 'right' },
    { head: 'RESULT', cell: ({ status }) => status },
    { head: 'ANSWER', cell: (one) => one.status_code ?? one.fault },
    { head: 'MS', cell: (one) => one.duration_ms, align: 'right' },
    { head: 'MESSAGE', cell: (one) => one.message_id },
  ]);
}

const message: Command = {
  name: 'webhooks message',
  summary: 'Show a message, its body and the attempts to deliver it',
  args: [MESSAGE],
  examples: ['webhooks message msg_01k3'],
  async run(session, { args: [id] }) {
    const found = await session
      .api()
      .call('GET /webhook-messages/{message_id}', { params: { message_id: id! } });
    session.show(
      found,
      () => `${renderMessage(found)}\n${renderAttempts(session, found.deliveries)}\n${found.body}\n`,
    );
  },
};

function renderMessage({ id, type, status, attempts, next_attempt_at, created_at }: Message): string {
  return renderFields([
    ['message', id],
    ['event', type],
    ['status', status],
    ['attempts', attempts],
    ['next attempt', next_attempt_at],
    ['created', created_at],
  ]);
}

const redeliver: Command = {
  name: 'webhooks redeliver',
  summary: 'Send a message again',
  args: [MESSAGE],
  options: ['comment', 'dry-run'],
  examples: ['webhooks redeliver msg_01k3'],
  async run(session, { args: [id] }) {
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await session.api().change('POST /webhook-messages/{message_id}/redeliver', {
      params: { message_id: id! },
      headers,
      query,
    });
    await showChange(session, answer, (done) => `${done.id} will be sent again.\n`);
  },
};

const replay: Command = {
  name: 'webhooks replay',
  summary: 'Send all messages of a period again, such as after an outage of the receiver',
  args: [WEBHOOK],
  options: ['since', 'until', 'status', 'comment', 'dry-run'],
  optionSummaries: {
    since: 'Start of the period: ISO 8601, or 2h for two hours ago. Required.',
    until: 'End of the period: ISO 8601, or 1h for an hour ago. Default: now.',
    status: 'Only messages with this status. Default: all.',
  },
  optionValues: { status: ['succeeded', 'failed', 'exhausted', 'cancelled'] },
  examples: ['webhooks replay whk_01k3 --since 2h --status exhausted'],
  async run(session, { args: [wanted], options }) {
    if (options.since === undefined)
      throw usageError('No period is given.', 'Give its start with --since, such as --since 2h.');
    const api = session.api();
    const { id } = await findWebhook(api, wanted!);
    const { headers, query } = changeOptions(session);
    const answer = await api.change('POST /webhooks/{webhook_id}/replay', {
      params: { webhook_id: id },
      headers,
      query,
      body: {
        from: parsePast('--since', options.since),
        to: options.until === undefined ? new Date().toISOString() : parsePast('--until', options.until),
        status: options.status as string | undefined as
          | 'succeeded'
          | 'failed'
          | 'exhausted'
          | 'cancelled'
          | undefined,
        comment: options.comment,
      },
    });
    await showChange(
      session,
      answer,
      ({ replayed }) => `${replayed} ${replayed === 1 ? 'message' : 'messages'} will be sent again.\n`,
    );
  },
};

export const webhookMessageCommands: readonly Command[] = [deliveries, message, redeliver, replay];
