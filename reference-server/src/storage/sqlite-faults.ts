import type { Damage } from './damage.ts';
import { DatabaseUnavailable } from './unavailable.ts';

/** The file is damaged, or is not an SQLite database. */
const CORRUPT = /^SQLITE_(CORRUPT|NOTADB|IOERR_CORRUPTFS|IOERR_DATA)(_|$)/;
/** Caused by the disk, memory, another process or permissions, not by the statement. */
const OUTAGE = /^SQLITE_(BUSY|CANTOPEN|FULL|IOERR|LOCKED|NOLFS|NOMEM|PERM|PROTOCOL|READONLY)(_|$)/;

/** Turns SQLite's error codes into DatabaseCorrupt or DatabaseUnavailable; leaves mistakes in statements as they are. */
export function toStorageFault(fault: unknown, damage: Damage): unknown {
  const { code, message } = fault as { readonly code?: unknown; readonly message: string };
  if (typeof code !== 'string') return fault;
  if (CORRUPT.test(code)) return damage.record(fault as Error);
  return OUTAGE.test(code) ? new DatabaseUnavailable(`${code}: ${message}`, { cause: fault }) : fault;
}
