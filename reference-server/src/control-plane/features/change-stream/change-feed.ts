import type { ServerResponse } from 'node:http';
import { ApiError } from '../../../http/errors.ts';
import type { Database } from '../../../storage/database.ts';
import { firstIdAt } from '../../../storage/ids.ts';
import type { AuditEntryTable } from '../../../storage/tables.ts';
import type { Actor } from '../../access/actor.ts';
import { hasPermission } from '../../access/permissions.ts';
import { toAuditEntry } from '../audit/audit-service.ts';
import { listEntriesFrom } from './change-store.ts';

/** A page that follows the changes of its organization. */
export interface Follower {
  /** Authenticates the page's token again. Rejects with 401 when its session has ended. */
  readonly authenticate: () => Promise<Actor>;
  /** The actor of the last authentication. */
  actor: Actor;
  /** Only entries of this project, if given. */
  readonly projectId: string | undefined;
  readonly response: ServerResponse;
}

/** Sends audit entries to the pages that follow them, as they are committed by this process or another. */
export interface ChangeFeed {
  /** Throws RATE_LIMIT_EXCEEDED when the person or the process already has its maximum of open streams. */
  requireRoom(actor: Actor): void;
  /** What a page missed since the entry `lastId`, as events; `reload` if that cannot be said. */
  missed(follower: Omit<Follower, 'response' | 'authenticate'>, lastId: string | undefined): Promise<string>;
  /** Follows from now on, until the response closes. The head must have been sent. */
  follow(follower: Follower): Promise<void>;
  /** Looks for new entries. Called after each commit. */
  wake(): void;
  /** Ends all streams. */
  close(): void;
}

export interface ChangeFeedDeps {
  readonly db: Database;
  readonly now: () => number;
  /** Milliseconds between two comment lines, at which sessions are checked too; default 15,000. */
  readonly keepAliveMs?: number;
}

const STREAMS_PER_PERSON = 10;
const STREAMS_MAX = 2_000;
/**
 * Ids are made before their transaction commits, maybe by a process whose clock differs, so entries can appear out of
 * order. Each look covers this time, and what was already sent is skipped.
 */
const WINDOW_MS = 30_000;
/** More missed entries than this are not sent one by one. */
const MISSED_MAX = 200;
const BUFFERED_BYTES_MAX = 256 * 1024;
const KEEP_ALIVE_MS = 15_000;

export const RELOAD = 'event: reload\ndata: {}\n\n';
export const HELLO = 'retry: 3000\n\nevent: hello\ndata: {}\n\n';
const goodbye = (reason: string): string => `event: goodbye\ndata: {"reason":"${reason}"}\n\n`;

export function createChangeFeed({ db, now, keepAliveMs = KEEP_ALIVE_MS }: ChangeFeedDeps): ChangeFeed {
  const followers = new Set<Follower>();
  /** Every stream with an open response, including those that `follow` has not made followers yet. */
  const open = new Set<Follower>();
  /** Ids within the window that were sent, by organization. */
  const sent = new Map<string, Set<string>>();
  let looking: Promise<void> | undefined;
  let isAgain = false;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const write = ({ response }: Follower, text: string): void => {
    if (response.destroyed || response.writableEnded) return;
    response.write(text);
    // A page that does not read must not fill the server's memory; it reloads when it connects again.
    if (response.writableLength > BUFFERED_BYTES_MAX) response.destroy();
  };

  const end = (follower: Follower, reason: string): void => {
    followers.delete(follower);
    follower.response.end(goodbye(reason));
  };

  const recheck = async (follower: Follower): Promise<void> => {
    try {
      follower.actor = await follower.authenticate();
    } catch (error) {
      // While the database is unavailable, the stream stays.
      if (error instanceof ApiError && error.status === 401) end(follower, 'session_ended');
    }
  };

  const look = async (): Promise<void> => {
    const from = firstIdAt('evt', Math.max(0, now() - WINDOW_MS));
    for (const organizationId of new Set([...followers].map(({ actor }) => actor.organizationId))) {
      const known = sent.get(organizationId) ?? new Set();
      const rows = await listEntriesFrom(db, organizationId, { from, limit: 10_000 });
      sent.set(organizationId, new Set(rows.map(({ id }) => id)));
      for (const row of rows.filter(({ id }) => !known.has(id))) await tell(organizationId, row);
    }
  };

  const tell = async (organizationId: string, row: AuditEntryTable): Promise<void> => {
    for (const follower of followers) {
      if (follower.actor.organizationId !== organizationId) continue;
      const isAbout = row.actor_id === follower.actor.id || row.resource_id === follower.actor.id;
      if (isAbout && /^(auth|member)\./.test(row.action)) await recheck(follower);
      const text = eventFor(follower, row);
      if (text !== undefined && followers.has(follower)) write(follower, text);
    }
  };

  const lookAll = async (): Promise<void> => {
    do {
      isAgain = false;
      await look();
    } while (isAgain);
  };

  /** Looks at least once after the call. */
  const lookNow = (): Promise<void> => {
    if (looking !== undefined) {
      isAgain = true;
      return looking;
    }
    looking = lookAll().finally(() => {
      looking = undefined;
    });
    return looking;
  };

  const onTick = (): void => {
    for (const follower of followers) {
      write(follower, ':\n\n');
      void recheck(follower);
    }
  };

  return {
    requireRoom({ id }) {
      const own = [...open].filter(({ actor }) => actor.id === id).length;
      if (own >= STREAMS_PER_PERSON) throw full('person', STREAMS_PER_PERSON);
      if (open.size >= STREAMS_MAX) throw full('process', STREAMS_MAX);
    },

    async missed(follower, lastId) {
      if (lastId === undefined) return '';
      const { organizationId } = follower.actor;
      const range = { from: lastId, limit: MISSED_MAX + 2 };
      const [last, ...rows] = await listEntriesFrom(db, organizationId, range);
      if (last?.id !== lastId || rows.length > MISSED_MAX) return RELOAD;
      return rows.map((row) => eventFor(follower, row) ?? '').join('');
    },

    async follow(follower) {
      const { response } = follower;
      open.add(follower);
      response.on('close', () => {
        open.delete(follower);
        followers.delete(follower);
      });
      // Without a listener, a reset connection would be an uncaught error. `close` follows.
      response.on('error', () => {});
      if (isClosed) return end(follower, 'shutdown');
      const { organizationId } = follower.actor;
      // The first follower of an organization makes everything before it old.
      if (![...followers].some(({ actor }) => actor.organizationId === organizationId)) {
        const from = firstIdAt('evt', Math.max(0, now() - WINDOW_MS));
        const rows = await listEntriesFrom(db, organizationId, { from, limit: 10_000 });
        sent.set(organizationId, new Set(rows.map(({ id }) => id)));
      } else await lookNow();
      if (response.destroyed || response.writableEnded) return;
      followers.add(follower);
      timer ??= setInterval(onTick, keepAliveMs).unref();
    },

    wake() {
      // A failed look is repeated after the next commit: the entries are still new.
      if (followers.size > 0) lookNow().catch(() => {});
    },

    close() {
      isClosed = true;
      clearInterval(timer);
      for (const follower of open) end(follower, 'shutdown');
    },
  };
}

/** The entry as an event; undefined if the follower may not read it or did not ask for it. */
function eventFor(
  { actor, projectId }: Pick<Follower, 'actor' | 'projectId'>,
  row: AuditEntryTable,
): string | undefined {
  const seesAll = hasPermission(actor, 'audit.read_all');
  if (!seesAll && row.project_id === null) return undefined;
  if (projectId !== undefined && row.project_id !== projectId) return undefined;
  return `id: ${row.id}\nevent: change\ndata: ${JSON.stringify(toAuditEntry(row, seesAll))}\n\n`;
}

function full(scope: 'person' | 'process', limit: number): ApiError {
  return new ApiError('RATE_LIMIT_EXCEEDED', {
    message: `Too many streams: at most ${limit} per ${scope} at a time. Close other pages, or load again to see changes.`,
    details: { scope, limit, retry_after: 60 },
    headers: { 'retry-after': '60' },
  });
}
