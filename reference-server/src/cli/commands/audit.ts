import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../client/api.ts';
import type { Item, Request } from '../client/document.ts';
import { parseCount } from '../input/values.ts';
import { createKeyLookup, mapInSequence } from '../lookup/key-lookup.ts';
import { cellText, renderTable } from '../output/table.ts';
import type { Command } from '../session/command.ts';
import type { Session } from '../session/session.ts';

const LOG = 'GET /audit-log';
type AuditEntry = Item<typeof LOG>;
type Query = NonNullable<Request<typeof LOG>['query']>;

const POLL_INTERVAL_MS = 2_000;

const tail: Command = {
  name: 'audit tail',
  summary: 'Show the latest entries of the audit log, newest last',
  options: ['limit', 'action', 'follow'],
  optionSummaries: { limit: 'Maximum number of rows. Default 20.' },
  notes: 'With --follow and --json it writes one entry per line.',
  examples: ['audit tail --follow', 'audit tail --action flag.toggled -n 50'],
  async run(session, { options }) {
    const api = session.api();
    const query: Query = { action: options.action };
    const most = parseCount('--limit', options.limit, 20);
    const entries = [...(await api.all(LOG, { query }, most))].reverse();
    const describe = createDescription(session, api);
    const lines = await describe(entries);
    if (options.follow !== true) {
      session.show(entries, () =>
        entries.length === 0 ? 'No matching entries.\n' : renderTable(lines, COLUMNS),
      );
      return;
    }
    writeLines(session, entries, lines);
    await follow(session, { api, query, describe }, entries.at(-1)?.id);
  },
};

/** An entry as one row of text. */
interface Line {
  readonly when: string;
  readonly who: string;
  readonly action: string;
  readonly what: string;
  readonly changes: string;
}

const COLUMNS = [
  { head: 'WHEN', cell: ({ when }: Line) => when },
  { head: 'WHO', cell: ({ who }: Line) => who },
  { head: 'ACTION', cell: ({ action }: Line) => action },
  { head: 'RESOURCE', cell: ({ what }: Line) => what },
  { head: 'CHANGES', cell: ({ changes }: Line) => changes },
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
        when: entry.timestamp,
        who: actor.email ?? actor.name ?? actor.id ?? actor.kind,
        action: entry.action,
        what: isInside ? `${named} in ${await keys.environment(environment_id)}` : named,
        changes: changesOf(entry),
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
      ? entries.map((entry) => JSON.stringify(entry))
      : lines.map((line) => COLUMNS.map(({ cell }) => cellText(cell(line))).join('  '));
  for (const text of texts) terminal.out(`${text}\n`);
}

const SHOWN_LENGTH = 100;

function changesOf({ changes, comment }: AuditEntry): string {
  const fields = Object.entries(changes).map(
    ([field, { from, to }]) => `${field}: ${short(from)} → ${short(to)}`,
  );
  const text = [...fields, ...(comment === null ? [] : [`“${comment}”`])].join('; ');
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH - 1)}…` : text;
}

function short(value: unknown): string {
  return typeof value === 'object' && value !== null ? '…' : cellText(value);
}

export const auditCommands: readonly Command[] = [tail];
