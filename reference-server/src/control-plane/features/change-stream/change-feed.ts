import type { Writable } from 'node:stream';
import { decodeTime } from 'ulid';
import { ApiError } from '../../../http/errors.ts';
import type { Database } from '../../../storage/database.ts';
import { firstIdAt } from '../../../storage/ids.ts';
import type { AuditEntryTable } from '../../../storage/tables.ts';
import { listEntriesFrom } from './change-store.ts';
import {
  createFollower,
  type Follower,
  MISSED_MAX,
  type Missed,
  openingText,
  type Page,
  type Reader,
} from './follower.ts';

/** Sends audit entries to the pages that follow them, as they are committed by this process or another. */
export interface ChangeFeed {
  /** What a page missed since the entry `lastId`, as events; `reload` if that cannot be said. */
  missed(reader: Reader, lastId: string | undefined): Promise<string>;
  /**
   * Follows from now on. Returns the function that begins the stream, after its head: first what was missed since
   * `lastId`, then everything that was committed since this call. Call it at once.
   *
   * Throws RATE_LIMIT_EXCEEDED when the person or the process already has its maximum of open streams.
   */
  follow(page: Page, lastId: string | undefined): Promise<(response: Writable) => void>;
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
 * order. Each look also covers this time before the last one, and what was already sent is skipped.
 */
const WINDOW_MS = 30_000;
const KEEP_ALIVE_MS = 15_000;
/** More entries than this in one look are not sent one by one. */
const LOOK_MAX = 10_000;
const ENTRY_ID = /^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** What the last look at an organization found. */
interface Looked {
  readonly at: number;
  /** The id from which on it looked. */
  readonly from: string;
  readonly ids: ReadonlySet<string>;
}

export function createChangeFeed({ db, now, keepAliveMs = KEEP_ALIVE_MS }: ChangeFeedDeps): ChangeFeed {
  /** Every stream that is open or opening. */
  const followers = new Set<Follower>();
  /** The last look at each organization with followers. */
  const looked = new Map<string, Looked>();
  let looking: Promise<void> | undefined;
  let isAgain = false;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const organizations = (): Set<string> =>
    new Set([...followers].map(({ page }) => page.actor.organizationId));

  const recheck = async ({ page, end }: Follower): Promise<void> => {
    try {
      page.actor = await page.authenticate();
    } catch (error) {
      // While the database is unavailable, the stream stays.
      if (error instanceof ApiError && error.status === 401) end('session_ended');
    }
  };

  const tell = async (organizationId: string, row: AuditEntryTable): Promise<void> => {
    for (const follower of followers) {
      const { actor } = follower.page;
      if (actor.organizationId !== organizationId) continue;
      const isAbout = row.actor_id === actor.id || row.resource_id === actor.id;
      if (isAbout && /^(auth|member)\./.test(row.action)) await recheck(follower);
      follower.send(row);
    }
  };

  const lookAt = async (organizationId: string): Promise<void> => {
    const at = now();
    const last = looked.get(organizationId);
    // Not only the time before now: the last look may be long ago, because one failed or the clock was set forward.
    const from = firstIdAt('evt', Math.max(0, Math.min(at, last?.at ?? at) - WINDOW_MS));
    const rows = await listEntriesFrom(db, organizationId, { from, limit: LOOK_MAX + 1 });
    looked.set(organizationId, { at, from, ids: new Set(rows.map(({ id }) => id)) });
    // The first look makes everything before it old.
    if (last === undefined) return;
    if (rows.length > LOOK_MAX) return reloadAll(organizationId);
    // After the clock was set back, the last look had less of the past.
    for (const row of rows.filter(({ id }) => id >= last.from && !last.ids.has(id)))
      await tell(organizationId, row);
  };

  const reloadAll = (organizationId: string): void => {
    for (const { page, reload } of followers) if (page.actor.organizationId === organizationId) reload();
  };

  const look = async (): Promise<void> => {
    for (const organizationId of organizations()) await lookAt(organizationId);
  };

  const lookUntilDone = async (): Promise<void> => {
    try {
      do {
        isAgain = false;
        await look();
      } while (isAgain);
    } finally {
      looking = undefined;
    }
  };

  /** Looks at least once after the call. */
  const lookNow = (): Promise<void> => {
    isAgain = true;
    looking ??= lookUntilDone();
    return looking;
  };

  const onTick = (): void => {
    for (const follower of followers) {
      follower.keepAlive();
      void recheck(follower);
    }
  };

  const requireRoom = ({ actor: { id } }: Page): void => {
    const own = [...followers].filter(({ page }) => page.actor.id === id).length;
    if (own >= STREAMS_PER_PERSON) throw full('person', STREAMS_PER_PERSON);
    if (followers.size >= STREAMS_MAX) throw full('process', STREAMS_MAX);
  };

  const remove = (follower: Follower): void => {
    followers.delete(follower);
    const { organizationId } = follower.page.actor;
    if (!organizations().has(organizationId)) looked.delete(organizationId);
  };

  return {
    missed: async (reader, lastId) => openingText(reader, await listMissed(db, reader, lastId)),

    async follow(page, lastId) {
      requireRoom(page);
      const follower = createFollower(page);
      followers.add(follower);
      timer ??= setInterval(onTick, keepAliveMs).unref();
      try {
        await lookNow();
        const missed = await listMissed(db, page, lastId);
        return (response) => {
          response.on('close', () => remove(follower));
          // A page that has left sends no second `close`.
          if (response.destroyed) return remove(follower);
          follower.begin(response, missed);
          if (isClosed) follower.end('shutdown');
        };
      } catch (error) {
        remove(follower);
        throw error;
      }
    },

    wake() {
      // A failed look is repeated after the next commit: the entries are still new.
      if (followers.size > 0) lookNow().catch(() => {});
    },

    close() {
      isClosed = true;
      clearInterval(timer);
      for (const { end } of followers) end('shutdown');
    },
  };
}

/**
 * What the reader missed since the entry `lastId`. It includes entries from shortly before, because entries with smaller
 * ids may have been committed after `lastId` was sent.
 */
async function listMissed(db: Database, { actor }: Reader, lastId: string | undefined): Promise<Missed> {
  if (lastId === undefined) return [];
  if (!ENTRY_ID.test(lastId)) return 'unknown';
  const from = firstIdAt('evt', Math.max(0, decodeTime(lastId.slice('evt_'.length)) - WINDOW_MS));
  const rows = await listEntriesFrom(db, actor.organizationId, { from, limit: MISSED_MAX + 2 });
  const missed = rows.filter(({ id }) => id !== lastId);
  return missed.length === rows.length || missed.length > MISSED_MAX ? 'unknown' : missed;
}

function full(scope: 'person' | 'process', limit: number): ApiError {
  return new ApiError('RATE_LIMIT_EXCEEDED', {
    message: `Too many streams: at most ${limit} per ${scope} at a time. Close other pages, or load again to see changes.`,
    details: { scope, limit, retry_after: 60 },
    headers: { 'retry-after': '60' },
  });
}
