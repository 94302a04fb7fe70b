import { randomUUID } from 'node:crypto';
import type { Database } from '../../storage/database.ts';

/** What one process at a time has, of those on one database. */
export interface Lease {
  /** Takes it, or keeps it for longer; false while another process has it. */
  take(): Promise<boolean>;
  /** Whether it was taken and has not run out. Asks nobody. */
  isHeld(): boolean;
  /** Gives it back, so that another process need not wait for its end. */
  release(): Promise<void>;
}

/** Who dies with a lease is followed by another after this. */
export const LEASE_MS = 10_000;

/** A lease is prolonged when less of it is left: writing it down at each look would be a commit a second for nothing. */
const RENEW_MS = 6_000;

/** What a lease goes by, in milliseconds. */
export interface LeaseClock {
  /** Wall clock, which the processes are held to agree on: what is written down. */
  now(): number;
  /** Is never set: a lease is held for no longer by it than by the other. */
  monotonic(): number;
}

export function createLease(db: Database, name: string, { now, monotonic }: LeaseClock): Lease {
  const holder = randomUUID();
  /** By each clock. */
  let expiresAt = Number.NEGATIVE_INFINITY;
  let writtenUntil = Number.NEGATIVE_INFINITY;
  /**
   * What another has written, and since when it has stood there: whoever leads and lives writes it anew before its end.
   */
  let theirs: { readonly expiresAt: string; readonly since: number } | undefined;
  const note = async (): Promise<void> => {
    const row = await db
      .selectFrom('leases')
      .select('expires_at')
      .where('name', '=', name)
      .executeTakeFirst();
    if (row?.expires_at === theirs?.expiresAt) return;
    theirs = row && { expiresAt: row.expires_at, since: monotonic() };
  };
  const leftMs = () => Math.min(expiresAt - monotonic(), writtenUntil - now());
  return {
    async take() {
      if (leftMs() > RENEW_MS) return true;
      const begun = monotonic();
      const time = now();
      const dead = theirs !== undefined && begun - theirs.since >= LEASE_MS ? theirs.expiresAt : '';
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
                // Of a clock that ran ahead.
                where('leases.expires_at', '=', dead),
              ]),
            ),
        )
        .executeTakeFirst();
      const isTaken = (numInsertedOrUpdatedRows ?? 0n) > 0n;
      expiresAt = isTaken ? begun + LEASE_MS : Number.NEGATIVE_INFINITY;
      writtenUntil = time + LEASE_MS;
      if (isTaken) theirs = undefined;
      else await note();
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
