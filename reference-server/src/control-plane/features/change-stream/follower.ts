import type { Writable } from 'node:stream';
import type { AuditEntryTable } from '../../../storage/tables.ts';
import type { Actor } from '../../access/actor.ts';
import { hasPermission } from '../../access/permissions.ts';
import { toAuditEntry } from '../audit/audit-service.ts';

/** The reader of a stream, and the choice of entries. */
export interface Reader {
  /** The actor of the last authentication. */
  actor: Actor;
  /** Only entries of this project, if given. */
  readonly projectId: string | undefined;
}

/** A page that follows the changes of its organization. */
export interface Page extends Reader {
  /** Authenticates the page's token again. Rejects with 401 when its session has ended. */
  readonly authenticate: () => Promise<Actor>;
}

/** Why the server ends a stream. */
export type Goodbye = 'shutdown' | 'session_ended';

/** The entries that a page missed, oldest first; `unknown` if the server cannot find them. */
export type Missed = readonly AuditEntryTable[] | 'unknown';

/** The stream of a page, which may still be opening. */
export interface Follower {
  readonly page: Page;
  /** Sends the entry if the page may read it. Until `begin`, it is kept. */
  send(row: AuditEntryTable): void;
  /** Makes the page load everything again. */
  reload(): void;
  keepAlive(): void;
  /** Says why and ends the stream; before `begin`, as soon as it begins. */
  end(reason: Goodbye): void;
  /** Sends what the page missed, then the entries that were kept, each once. The head must have been sent. */
  begin(response: Writable, missed: Missed): void;
}

/** More entries than this are not sent one by one when a stream opens. */
export const MISSED_MAX = 200;
const BUFFERED_BYTES_MAX = 256 * 1024;
/** A longer opening would make a page that reads slowly lose its stream, each time that it connects again. */
const OPENING_BYTES_MAX = BUFFERED_BYTES_MAX / 2;

const RELOAD = 'event: reload\ndata: {}\n\n';
const HELLO = 'retry: 3000\n\nevent: hello\ndata: {}\n\n';
const goodbye = (reason: Goodbye): string => `event: goodbye\ndata: {"reason":"${reason}"}\n\n`;

export function createFollower(page: Page): Follower {
  let response: Writable | undefined;
  let ended: Goodbye | undefined;
  /** Entries that were committed while the stream opened; at most one more than are sent one by one. */
  const early: AuditEntryTable[] = [];
  let isReloadDue = false;

  const write = (text: string): void => {
    if (response === undefined || response.destroyed || response.writableEnded) return;
    response.write(text);
    // A page that does not read must not fill the server's memory; it reloads when it connects again.
    if (response.writableLength > BUFFERED_BYTES_MAX) response.destroy();
  };

  return {
    page,
    send(row) {
      if (response !== undefined) write(eventFor(page, row));
      else if (early.length <= MISSED_MAX) early.push(row);
    },
    reload() {
      if (response !== undefined) write(RELOAD);
      else isReloadDue = true;
    },
    keepAlive: () => write(':\n\n'),
    end(reason) {
      ended ??= reason;
      if (response !== undefined && !response.writableEnded) response.end(goodbye(ended));
    },
    begin(opened, missed) {
      response = opened;
      // Without a listener, a reset connection would be an uncaught error. `close` follows.
      response.on('error', () => {});
      const isUnknown = isReloadDue || early.length > MISSED_MAX;
      write(openingText(page, isUnknown ? 'unknown' : missed, early));
      if (ended !== undefined) response.end(goodbye(ended));
    },
  };
}

/** The first events of a stream; `reload` if they are unknown or too long. `early` may repeat what was missed. */
export function openingText(reader: Reader, missed: Missed, early: readonly AuditEntryTable[] = []): string {
  if (missed === 'unknown') return HELLO + RELOAD;
  const rows = new Map([...missed, ...early].map((row) => [row.id, row]));
  const sorted = [...rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const text = HELLO + sorted.map((row) => eventFor(reader, row)).join('');
  return Buffer.byteLength(text) > OPENING_BYTES_MAX ? HELLO + RELOAD : text;
}

/** The entry as an event; empty if the reader may not see it or did not ask for it. */
function eventFor({ actor, projectId }: Reader, row: AuditEntryTable): string {
  const seesAll = hasPermission(actor, 'audit.read_all');
  if (!seesAll && row.project_id === null) return '';
  if (projectId !== undefined && row.project_id !== projectId) return '';
  return `id: ${row.id}\nevent: change\ndata: ${JSON.stringify(toAuditEntry(row, seesAll))}\n\n`;
}
