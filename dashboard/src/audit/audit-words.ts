import type { AuditEntry } from '../api/types.ts';
import { t } from './messages.ts';

/** The name of the person or program that made the change. */
export function actorName({ actor: { name, email, id } }: Pick<AuditEntry, 'actor'>): string {
  return name ?? email ?? id ?? t.system;
}

export const isProgram = ({ actor }: Pick<AuditEntry, 'actor'>): boolean => actor.kind !== 'user';
