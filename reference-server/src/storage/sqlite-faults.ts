import type { Damage } from './damage.ts';
import { DatabaseUnavailable } from './unavailable.ts';

/** The file is damaged, or is none of SQLite's. */
const CORRUPT = /^SQLITE_(CORRUPT|NOTADB|IOERR_CORRUPTFS|IOERR_DATA)(_|$)/;
/** Of the disk, the memory, other processes or rights: of the moment, not of the statement. */
const OUTAGE = /^SQLITE_(BUSY|CANTOPEN|FULL|IOERR|LOCKED|NOLFS|NOMEM|PERM|PROTOCOL|READONLY)(_|$)/;

/** What SQLite throws, with damage and outages told from mistakes. */
export function toStorageFault(fault: unknown, damage: Damage): unknown {
  const { code, message } = fault as { readonly code?: unknown; readonly message: string };
  if (typeof code !== 'string') return fault;
  if (CORRUPT.test(code)) return damage.note(fault as Error);
  return OUTAGE.test(code) ? new DatabaseUnavailable(`${code}: ${message}`, { cause: fault }) : fault;
}
