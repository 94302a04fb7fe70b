import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEntry } from '../../features/audit/audit-service.ts';
import type { Api, ApiCall } from '../api.ts';
import type { Command } from '../command.ts';
import type { Session } from '../session.ts';
import { cellText, renderTable } from '../table.ts';
import { readCount } from '../values.ts';

const POLL_INTERVAL_MS = 2_000;

const tail: Command = {
  name: 'audit tail',
  summary: 'Show the last entries of the audit log, the newest at the end',
  options: ['limit', 'action', 'follow'],
  notes: 'The default of --limit is 20 here. With --follow and --json it writes one entry a line.',
  examples: ['audit tail --follow', 'audit tail --action flag.toggled -n 50'],
  async run(session, { options }) {
    const api = session.api();
    const call: ApiCall = { path: '/audit-log', query: { action: options.action } };
    const most = readCount('--limit', options.limit, 20);
    const entries = [...(await api.all<AuditEntry>(call, most))].reverse();
    if (options.follow !== true) {
      session.show(entries, () =>
        entries.length === 0 ? 'There are no such entries.\n' : renderEntries(entries),
      );
      return;
    }
    for (const entry of entries) writeLine(session, entry);
    await follow(session, api, call, entries.at(-1)?.id);
  },
};

/** Ids grow with time, so that whatever is greater than the last one seen is new. */
async function follow(session: Session, api: Api, call: ApiCall, seen = ''): Promise<void> {
  const { signal } = session.terminal;
  let last = seen;
  while (!signal.aborted) {
    await sleep(POLL_INTERVAL_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    for (const entry of (await newerThan(api, call, last)).reverse()) {
      writeLine(session, entry);
      last = entry.id;
    }
  }
}

async function newerThan(api: Api, call: ApiCall, id: string): Promise<AuditEntry[]> {
  const found: AuditEntry[] = [];
  let cursor: string | undefined;
  do {
    const { data, meta } = await api.list<AuditEntry>({ ...call, query: { ...call.query, cursor } });
    const fresh = data.filter((entry) => entry.id > id);
    found.push(...fresh);
    // A log that was empty is read one page deep.
    cursor = fresh.length === data.length && id !== '' ? (meta.next_cursor ?? undefined) : undefined;
  } while (cursor !== undefined);
  return found;
}

function writeLine({ options, terminal }: Session, entry: AuditEntry): void {
  terminal.out(
    options.json === true
      ? `${JSON.stringify(entry)}\n`
      : `${[entry.timestamp, who(entry), entry.action, what(entry), changesOf(entry)].map(cellText).join('  ')}\n`,
  );
}

function renderEntries(entries: readonly AuditEntry[]): string {
  return renderTable(entries, [
    { head: 'WHEN', cell: ({ timestamp }) => timestamp },
    { head: 'WHO', cell: who },
    { head: 'ACTION', cell: ({ action }) => action },
    { head: 'WHAT', cell: what },
    { head: 'CHANGES', cell: changesOf },
  ]);
}

function who({ actor }: AuditEntry): string {
  return actor.email ?? actor.id ?? actor.kind;
}

function what({ resource }: AuditEntry): string {
  return resource.key ?? resource.id;
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
