import { randomUUID } from 'node:crypto';
import type { Database } from '../../storage/database.ts';

/** A lease that at most one process holds at a time, among all processes that use the same database. */
export interface Lease {
  /** Takes or extends the lease; false while another process holds it. */
  take(): Promise<boolean>;
  /** Whether this process holds the lease now; looks at the clocks and does not query the database. */
  isHeld(): boolean;
  /** Gives the lease back, so that another process need not wait until it expires. */
  release(): Promise<void>;
}

/** How long after the holder dies another process can take the lease. */
export const LEASE_MS = 10_000;

/**
 * A lease is extended only when less time than this is left, because extending it at every pass would cause a commit
 * every second.
 */
const RENEW_BELOW_MS = 6_000;

export interface LeaseClock {
  /** Wall clock in milliseconds since 1970, stored with the lease. All processes have to agree on it. */
  now(): number;
  /** Milliseconds from a clock that never goes back. A lease ends as soon as it has expired by either clock. */
  monotonic(): number;
}

export function createLease(db: Database, name: string, { now, monotonic }: LeaseClock): Lease {
  const holder = randomUUID();
  /** When the lease of this process ends, on the clock `monotonic`. */
  let expiresAt = Number.NEGATIVE_INFINITY;
  /** The stored end of the lease, on the clock `now`. */
  let storedUntil = Number.NEGATIVE_INFINITY;
  /** The other holder's stored expiry, and when this process first saw it, on the clock `monotonic`. */
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
      // A holder that has not extended its lease for LEASE_MS is dead, even if its clock ran ahead and it stored a later
      // expiry.
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
