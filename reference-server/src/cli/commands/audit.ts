import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../client/api.ts';
import type { Item, Request } from '../client/document.ts';
import { parsePast } from '../input/times.ts';
import { parseCount } from '../input/values.ts';
import { findProject, listEnvironments, pick, singleEnvironment } from '../lookup/find.ts';
import { createKeyLookup, mapInSequence } from '../lookup/key-lookup.ts';
import { changeLines } from '../output/change-words.ts';
import { jsonText } from '../output/plain-text.ts';
import { cellText, renderFields } from '../output/table.ts';
import { secondsTime } from '../output/time-words.ts';
import type { Command } from '../session/command.ts';
import type { Session } from '../session/session.ts';

const LOG = 'GET /audit-log';
type AuditEntry = Item<typeof LOG>;
type Query = NonNullable<Request<typeof LOG>['query']>;

const POLL_INTERVAL_MS = 2_000;

const tail: Command = {
  name: 'audit tail',
  alias: 'audit',
  summary: 'Show the latest entries of the audit log, newest last',
  options: [
    'project',
    'environment',
    'action',
    'actor',
    'resource',
    'search',
    'since',
    'until',
    'limit',
    'follow',
  ],
  optionSummaries: {
    limit: 'Maximum number of rows. Default 20.',
    project: 'Only changes in this project.',
    environment: 'Only changes in this environment.',
    search: 'Only entries that contain this text.',
    until: 'Only up to this time: ISO 8601, or 2h, 7d for that long ago.',
  },
  notes: 'With --follow and --json it writes one entry per line.',
  examples: [
    'audit tail --follow',
    'audit tail --action flag.toggled -e production --since 7d',
    'audit tail --search new-checkout -n 50',
  ],
  async run(session, { options }) {
    const api = session.api();
    const query = await queryOf(session, api);
    const most = parseCount('--limit', options.limit, 20);
    const entries = [...(await api.all(LOG, { query }, most))].reverse();
    const describe = createDescription(session, api);
    const lines = await describe(entries);
    if (options.follow !== true) {
      session.show(entries, () =>
        entries.length === 0 ? 'No matching entries.\n' : session.table(lines, COLUMNS),
      );
      return;
    }
    writeLines(session, entries, lines);
    await follow(session, { api, query, describe }, entries.at(-1)?.id);
  },
};

async function queryOf(session: Session, api: Api): Promise<Query> {
  const { options } = session;
  const { action, actor, resource, search, since, until } = options;
  const isPlaced = options.project !== undefined || options.environment !== undefined;
  const project = isPlaced ? await findProject(session, api) : undefined;
  const wanted = singleEnvironment(options.environment);
  const environment =
    wanted === undefined ? undefined : pick('environment', wanted, await listEnvironments(api, project!));
  return {
    action,
    actor_id: actor,
    resource_id: resource,
    q: search,
    project_id: environment === undefined ? project?.id : undefined,
    environment_id: environment?.id,
    from: since === undefined ? undefined : parsePast('--since', since),
    to: until === undefined ? undefined : parsePast('--until', until),
  };
}

const show: Command = {
  name: 'audit show',
  summary: 'Show an entry of the audit log with the whole change',
  args: [{ name: 'id', summary: 'Id of the entry (aud_…) from audit tail' }],
  examples: ['audit show aud_01k3'],
  async run(session, { args: [id] }) {
    const api = session.api();
    const entry = await api.call('GET /audit-log/{audit_entry_id}', { params: { audit_entry_id: id! } });
    const keys = createKeyLookup(api);
    const environment =
      entry.environment_id === null ? undefined : await keys.environment(entry.environment_id);
    session.show(entry, () => {
      const head = renderFields([
        ['entry', entry.id],
        ['when', secondsTime(entry.timestamp)],
        ['who', entry.actor.email ?? entry.actor.name ?? entry.actor.kind],
        ['action', entry.action],
        ['resource', `${entry.resource.type} ${entry.resource.key ?? entry.resource.id}`],
        ['environment', environment],
        ['comment', entry.comment],
        ['via', entry.via],
        ['address', entry.ip],
        ['break-glass', entry.break_glass_id],
      ]);
      const lines = changeLines(entry.changes as Parameters<typeof changeLines>[0]);
      return `${head}${lines.length === 0 ? '' : `\n${lines.map((line) => `${line}\n`).join('')}`}`;
    });
  },
};

/** An entry as one row of text. */
interface Line {
  readonly when: string;
  readonly who: string;
  readonly action: string;
  readonly what: string;
  readonly id: string;
  readonly changes: string;
}

const COLUMNS = [
  { head: 'WHEN', cell: ({ when }: Line) => when },
  { head: 'WHO', cell: ({ who }: Line) => who },
  { head: 'ACTION', cell: ({ action }: Line) => action },
  { head: 'RESOURCE', cell: ({ what }: Line) => what },
  { head: 'CHANGES', cell: ({ changes }: Line) => changes },
  { head: 'ENTRY', cell: ({ id }: Line) => id },
];

type Describe = (entries: readonly AuditEntry[]) => Promise<readonly Line[]>;

/** Turns entries into rows of text; resolves their environment ids to keys. */
function createDescription({ options }: Session, api: Api): Describe {
  const keys = createKeyLookup(api);
  return async (entries) => {
    if (options.json === true) return [];
    return mapInSequence(entries, async (entry) => {
      const { actor, resource, environment_id } = entry;
      const named = resource.key ?? resource.id;
      const isInside = environment_id !== null && environment_id !== resource.id;
      return {
        when: secondsTime(entry.timestamp),
        who: actor.email ?? actor.name ?? actor.id ?? actor.kind,
        action: entry.action,
        what: isInside ? `${named} in ${await keys.environment(environment_id)}` : named,
        changes: changesOf(entry),
        id: entry.id,
      };
    });
  };
}

/** Ids increase with time, so entries with a greater id than the last printed entry are new. */
async function follow(
  session: Session,
  { api, query, describe }: { readonly api: Api; readonly query: Query; readonly describe: Describe },
  seen = '',
): Promise<void> {
  const { signal } = session.terminal;
  let last = seen;
  while (!signal.aborted) {
    await sleep(POLL_INTERVAL_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const entries = (await newerThan(api, query, last)).reverse();
    writeLines(session, entries, await describe(entries));
    last = entries.at(-1)?.id ?? last;
  }
}

async function newerThan(api: Api, query: Query, id: string): Promise<AuditEntry[]> {
  const found: AuditEntry[] = [];
  let cursor: string | undefined;
  do {
    const { data, meta } = await api.list(LOG, { query: { ...query, cursor } });
    const fresh = data.filter((entry) => entry.id > id);
    found.push(...fresh);
    // Without a last id, the first page is enough, because the log was empty until now.
    cursor = fresh.length === data.length && id !== '' ? (meta.next_cursor ?? undefined) : undefined;
  } while (cursor !== undefined);
  return found;
}

function writeLines(
  { options, terminal }: Session,
  entries: readonly AuditEntry[],
  lines: readonly Line[],
): void {
  const texts =
    options.json === true
      ? entries.map((entry) => jsonText(entry))
      : lines.map((line) => COLUMNS.map(({ cell }) => cellText(cell(line))).join('  '));
  for (const text of texts) terminal.out(`${text}\n`);
}

const SHOWN_LENGTH = 100;

function changesOf({ changes, comment }: AuditEntry): string {
  const fields = changeLines(changes as Parameters<typeof changeLines>[0]);
  const text = [...fields, ...(comment === null ? [] : [`“${comment}”`])].join('; ');
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH - 1)}…` : text;
}

export const auditCommands: readonly Command[] = [tail, show];
