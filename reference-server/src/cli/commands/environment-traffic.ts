import { changeOptions } from '../changes/change-options.ts';
import { confirmIn } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import { READ_ENVIRONMENT } from '../input/options.ts';
import { parseCount } from '../input/values.ts';
import { findSourceAndTarget, findTarget } from '../lookup/find.ts';
import { withCommands } from '../output/shell-line.ts';
import { cellText } from '../output/table.ts';
import { type Command, WRITE_OPTIONS } from '../session/command.ts';
import { commandLine } from '../session/command-line.ts';

const ruleset: Command = {
  name: 'environments ruleset',
  summary: 'Print the ruleset that SDKs of an environment get',
  options: ['project', 'environment'],
  optionSummaries: { environment: READ_ENVIRONMENT },
  examples: ['environments ruleset -e production > ruleset.json'],
  async run(session) {
    const { api, environment } = await findTarget(session, { useDefault: true });
    const found = await api.call('GET /environments/{environment_id}/ruleset', {
      params: { environment_id: environment.id },
    });
    session.show(found, () => `${JSON.stringify(found, null, 2)}\n`);
  },
};

const sdks: Command = {
  name: 'environments sdks',
  summary: 'List the SDKs that use an environment, with their versions and keys',
  options: ['project', 'environment'],
  optionSummaries: { environment: READ_ENVIRONMENT },
  examples: ['environments sdks -e production'],
  async run(session) {
    const { api, environment } = await findTarget(session, { useDefault: true });
    const found = await api.all('GET /environments/{environment_id}/sdks', {
      params: { environment_id: environment.id },
    });
    session.show(found, () =>
      found.length === 0
        ? `No SDK has used ${environment.key} lately.\n`
        : session.table(found, [
            { head: 'SDK', cell: ({ name }) => name },
            { head: 'VERSION', cell: ({ version }) => version },
            { head: 'KEY', cell: ({ key }) => key.name },
            { head: 'KIND', cell: ({ key }) => key.kind },
            { head: 'REQUESTS', cell: ({ requests }) => requests, align: 'right' },
            { head: 'LAST SEEN', cell: (one) => one.last_seen_at },
          ]),
    );
  },
};

const unknownFlags: Command = {
  name: 'environments unknown-flags',
  summary: 'List the flag keys that SDKs ask for and that do not exist',
  options: ['project', 'environment'],
  optionSummaries: { environment: READ_ENVIRONMENT },
  notes: 'A key is a typing error in code, or belongs to a flag that was deleted or never created.',
  examples: ['environments unknown-flags -e production'],
  async run(session) {
    const { api, environment } = await findTarget(session, { useDefault: true });
    const found = await api.all('GET /environments/{environment_id}/unknown-flags', {
      params: { environment_id: environment.id },
    });
    session.show(found, () =>
      found.length === 0
        ? `Every flag key that SDKs asked for in ${environment.key} in the last 30 days exists.\n`
        : session.table(found, [
            { head: 'KEY', cell: ({ flag_key }) => flag_key },
            { head: 'COUNT', cell: ({ count }) => count, align: 'right' },
            { head: 'FIRST SEEN', cell: (one) => one.first_seen_at },
            { head: 'LAST SEEN', cell: (one) => one.last_seen_at },
          ]),
    );
  },
};

const contexts: Command = {
  name: 'environments contexts',
  summary: 'List recently evaluated users of an environment that records them',
  options: ['project', 'environment', 'limit'],
  optionSummaries: { environment: READ_ENVIRONMENT, limit: 'Maximum number of rows. Default 20.' },
  examples: ['environments contexts -e staging'],
  async run(session, { options }) {
    const target = await findTarget(session, { useDefault: true });
    const { api, environment } = target;
    const request = { params: { environment_id: environment.id } };
    const { meta } = await api.list('GET /environments/{environment_id}/recorded-contexts', request);
    const most = parseCount('--limit', options.limit, 20);
    const found = await api.all('GET /environments/{environment_id}/recorded-contexts', request, most);
    const recording = commandLine(session, ['environments', 'update', environment.key, '--record-contexts'], {
      project: target.project,
    });
    session.show(found, () =>
      found.length > 0
        ? session.table(found, [
            { head: 'RECORDED', cell: (one) => one.recorded_at },
            { head: 'USER', cell: ({ context }) => context.user_key },
            { head: 'ATTRIBUTES', cell: ({ context }) => attributesOf(context.attributes) },
          ])
        : meta.is_recording
          ? `No user of ${environment.key} was evaluated yet.\n`
          : `${withCommands(`${environment.key} records no users. To start:`, recording)}\n`,
    );
  },
};

function attributesOf(attributes: object | undefined): string {
  return Object.entries(attributes ?? {})
    .map(([name, value]) => `${name}=${cellText(value)}`)
    .join(', ');
}

const promote: Command = {
  name: 'environments promote',
  summary: 'Copy the rules of many flags to another environment',
  options: ['project', 'from', 'to', 'flag', 'with-switch', 'merge-rules', 'yes', ...WRITE_OPTIONS],
  optionSummaries: {
    from: 'Key or id of the source environment.',
    to: 'Key or id of the target environment.',
    flag: 'Only this flag; repeatable. Default: every flag that differs.',
    'with-switch': 'Also copy whether the flags are on.',
  },
  notes: 'diff --from staging --to production shows the differences first.',
  examples: [
    'environments promote --from staging --to production --dry-run',
    'environments promote --from staging --to production --flag new-checkout --flag new-cart',
  ],
  async run(session, { options }) {
    const { flag } = options;
    const { api, project, source, environment } = await findSourceAndTarget(session);
    const what = flag === undefined ? 'every flag' : flag.join(', ');
    await confirmIn(session, { project, environment }, `Promote ${what} from ${source.key}`);
    const { headers, query } = changeOptions(session);
    const carried = ['targeting_rules', 'default_variation', 'prerequisites'] as const;
    const answer = await api.change('POST /environments/{environment_id}/promote', {
      params: { environment_id: source.id },
      headers,
      query,
      body: {
        target_environment_id: environment.id,
        flag_keys: flag === undefined ? undefined : [...flag],
        include: options['with-switch'] === true ? [...carried, 'enabled'] : [...carried],
        strategy: options['merge-rules'] === true ? 'merge_rules' : 'replace',
        comment: options.comment,
      },
    });
    await showChange(session, answer, ({ promoted }) =>
      promoted.length === 0
        ? `Nothing to promote: ${environment.key} already matches ${source.key}.\n`
        : `Promoted to ${environment.key}: ${promoted.map(({ key }) => key).join(', ')}.\n`,
    );
  },
};

export const environmentTrafficCommands: readonly Command[] = [
  promote,
  ruleset,
  sdks,
  unknownFlags,
  contexts,
];
