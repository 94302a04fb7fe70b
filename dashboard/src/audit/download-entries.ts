import type { AuditEntry } from '../api/types.ts';

/** Saves the entries on the screen as a JSON file. */
export function downloadEntries(name: string, entries: readonly AuditEntry[]): void {
  const address = URL.createObjectURL(
    new Blob([JSON.stringify(entries, null, 2)], { type: 'application/json' }),
  );
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
