import type { Command } from '../command.ts';
import { findPlace } from '../find.ts';
import { renderTable } from '../table.ts';

const status: Command = {
  name: 'freeze status',
  summary: 'Show whether an environment is frozen, by what and until when',
  options: ['project', 'environment', 'exit-code'],
  says: { 'exit-code': 'End with 1 while the environment is frozen.' },
  async run(session, { options }) {
    const { api, environment } = await findPlace(session, { isDefaultGood: true });
    const query = { environment_id: environment.id };
    const freeze = await api.call('GET /freeze-windows/status', { query });
    session.show(freeze, () => {
      const next = freeze.next_change_at === null ? '' : ` This changes at ${freeze.next_change_at}.`;
      const head = `${environment.key} is ${freeze.frozen ? 'frozen' : 'not frozen'}.${next}\n`;
      if (freeze.windows.length === 0) return head;
      return `${head}\n${renderTable(freeze.windows, [
        { head: 'WINDOW', cell: ({ name }) => name },
        { head: 'REASON', cell: ({ reason }) => reason },
        { head: 'STATUS', cell: (window) => window.status },
        { head: 'FROM', cell: (window) => window.current_occurrence?.starts_at ?? window.starts_at },
        { head: 'UNTIL', cell: (window) => window.current_occurrence?.ends_at ?? window.ends_at },
        { head: 'STILL ALLOWED', cell: ({ allow }) => allow.join(', ') },
        { head: 'ID', cell: ({ id }) => id },
      ])}`;
    });
    return options['exit-code'] === true && freeze.frozen ? 1 : 0;
  },
};

export const freezeCommands: readonly Command[] = [status];
