import { randomUUID } from 'node:crypto';
import type { Database } from '../../storage/database.ts';

/** Held by at most one of the processes on one database. */
export interface Lease {
  /** Takes or extends the lease; false while another process holds it. */
  take(): Promise<boolean>;
  /** Whether this process holds the lease now; reads only its clocks. */
  isHeld(): boolean;
  /** Gives the lease back, so that another process need not wait until it expires. */
  release(): Promise<void>;
}

/** How long after the holder dies another process can take the lease. */
export const LEASE_MS = 10_000;

/** Extends a lease only when less than this is left: a write at every pass would be a commit a second. */
const RENEW_BELOW_MS = 6_000;

export interface LeaseClock {
  /** Wall clock in milliseconds since 1970, stored with the lease. All processes have to agree on it. */
  now(): number;
  /** Milliseconds from a clock that never goes back. A lease ends as soon as either clock says so. */
  monotonic(): number;
}

export function createLease(db: Database, name: string, { now, monotonic }: LeaseClock): Lease {
  const holder = randomUUID();
  /** When the lease of this process ends, by `monotonic`. */
  let expiresAt = Number.NEGATIVE_INFINITY;
  /** The stored end of the lease, by `now`. */
  let storedUntil = Number.NEGATIVE_INFINITY;
  /** The other holder's stored expiry, and since when (by `monotonic`) it has not changed. */
  let rival: { readonly expiresAt: string; readonly since: number } | undefined;

  const observeRival = async (): Promise<void> => {
    const row = await db
      .selectFrom('leases')
      .select('expires_at')
      .where('name', '=', name)
      .executeTakeFirst();
    if (row?.expires_at === rival?.expiresAt) return;
    rival = row && { expiresAt: row.expires_at, since: monotonic() };
  };
  const leftMs = () => Math.min(expiresAt - monotonic(), storedUntil - now());

  return {
    async take() {
      if (leftMs() > RENEW_BELOW_MS) return true;
      const startedAt = monotonic();
      const time = now();
      // A live holder extends its lease within LEASE_MS. One that has not is dead, however far ahead its clock was.
      const dead = rival !== undefined && startedAt - rival.since >= LEASE_MS ? rival.expiresAt : '';
      const expires_at = new Date(time + LEASE_MS).toISOString();
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('leases')
        .values({ name, holder, expires_at })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet({ holder, expires_at })
            .where((where) =>
              where.or([
                where('leases.holder', '=', holder),
                where('leases.expires_at', '<=', new Date(time).toISOString()),
                where('leases.expires_at', '=', dead),
              ]),
            ),
        )
        .executeTakeFirst();
      const isTaken = (numInsertedOrUpdatedRows ?? 0n) > 0n;
      expiresAt = isTaken ? startedAt + LEASE_MS : Number.NEGATIVE_INFINITY;
      storedUntil = time + LEASE_MS;
      if (isTaken) rival = undefined;
      else await observeRival();
      return isTaken;
    },
    isHeld: () => leftMs() > 0,
    async release() {
      if (expiresAt === Number.NEGATIVE_INFINITY) return;
      expiresAt = Number.NEGATIVE_INFINITY;
      await db.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute();
    },
  };
}
