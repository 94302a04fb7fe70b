import { changeOptions } from '../changes/change-options.ts';
import { confirm } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import type { Command } from '../session/command.ts';

const erase: Command = {
  name: 'events erase',
  summary: 'Delete the exposures and track events of a user in all environments',
  args: [{ name: 'user-key', summary: 'Key of the user, as your code passes it to the SDK' }],
  options: ['yes', 'comment', 'dry-run'],
  notes: 'A background job deletes them within about a minute. Counts of evaluations name no users and stay.',
  examples: ['events erase user-4711', 'events erase user-4711 --dry-run'],
  async run(session, { args: [userKey], options }) {
    await confirm(session, {
      action: `Delete all events of user ${userKey}`,
      name: 'the organization',
      target: {},
    });
    const { headers, query } = changeOptions(session);
    const answer = await session.api().change('POST /erasures', {
      headers,
      query,
      body: { user_key: userKey!, comment: options.comment },
    });
    await showChange(
      session,
      answer,
      ({ id }) => `Ordered erasure ${id}. "events erasures" shows when it is done.\n`,
    );
  },
};

const list: Command = {
  name: 'events erasures',
  summary: 'List the orders to delete events of users',
  options: [],
  examples: ['events erasures'],
  async run(session) {
    const found = await session.api().all('GET /erasures', {});
    session.show(found, () =>
      found.length === 0
        ? 'No erasure was ordered.\n'
        : session.table(found, [
            { head: 'ID', cell: ({ id }) => id },
            { head: 'STATUS', cell: ({ status }) => status },
            { head: 'ORDERED', cell: (one) => one.created_at },
            { head: 'COMPLETED', cell: (one) => one.completed_at },
            { head: 'EXPOSURES', cell: (one) => one.exposures, align: 'right' },
            { head: 'TRACK EVENTS', cell: (one) => one.track_events, align: 'right' },
          ]),
    );
  },
};

export const erasureCommands: readonly Command[] = [erase, list];
