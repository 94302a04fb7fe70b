import { renderFields } from '../output/table.ts';
import type { Command } from '../session/command.ts';

const version: Command = {
  name: 'version',
  summary: 'Show the versions of the command line and of the server',
  examples: ['version'],
  async run(session) {
    const server = await session.apiWith({}).call('GET /instance', {});
    const found = { cli: session.version, server: server.version, url: session.url };
    session.show(found, () =>
      renderFields([
        ['flagsvc', found.cli],
        ['server', `${found.server} at ${found.url}`],
      ]),
    );
  },
};

const get: Command = {
  name: 'instance get',
  alias: 'instance',
  summary: 'Show the mode, the features and the rate limits of the server',
  examples: ['instance get'],
  async run(session) {
    const api = session.apiWith({});
    const instance = await api.call('GET /instance', {});
    const { features } = await session.api().call('GET /instance/capabilities', {});
    session.show({ ...instance, features }, () =>
      renderFields([
        ['server', session.url],
        ['version', instance.version],
        ['mode', instance.mode],
        ['registration', instance.registration],
        [
          'features',
          Object.entries(features)
            .flatMap(([name, { available }]) => (available ? [name] : []))
            .join(', '),
        ],
        ...Object.entries(instance.rate_limits).map(
          ([name, count]) => [`${name} per minute`, count] as const,
        ),
      ]),
    );
  },
};

const status: Command = {
  name: 'instance status',
  summary: 'Show the database, the mail and the nightly jobs of the server',
  notes: 'For admins.',
  examples: ['instance status'],
  async run(session) {
    const found = await session.api().call('GET /instance/status', {});
    const { database, mail } = found;
    session.show(found, () => {
      const head = renderFields([
        ['database', `${database.engine} ${database.version}`],
        ['e-mail', mail.configured ? `on, ${mail.waiting} waiting` : 'off'],
        ['oldest e-mail', mail.oldest_at],
        ['metrics port', found.metrics_port],
      ]);
      return `${head}\n${session.table(found.nightly_jobs, [
        { head: 'NIGHTLY JOB', cell: ({ name }) => name },
        { head: 'LAST RUN', cell: (job) => job.last_run_at },
        { head: 'DUE', cell: (job) => job.due_at },
        { head: 'LATE', cell: ({ late }) => late },
      ])}`;
    });
  },
};

const testMail: Command = {
  name: 'instance test-mail',
  summary: 'Send a test e-mail and show what the mail server answered',
  args: [{ name: 'email', summary: 'E-mail address of the receiver' }],
  notes: 'Exits with 1 if it could not be sent.',
  examples: ['instance test-mail ada@example.com'],
  async run(session, { args: [email] }) {
    const done = await session.api().call('POST /instance/test-mail', { body: { email: email! } });
    session.show(
      done,
      () => `${done.explanation}${done.answer === null ? '' : `\nThe mail server said: ${done.answer}`}\n`,
    );
    return done.sent ? 0 : 1;
  },
};

export const versionCommands: readonly Command[] = [version];
export const instanceCommands: readonly Command[] = [get, status, testMail];
