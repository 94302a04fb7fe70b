import type { UserTable } from '../../../storage/people-tables.ts';
import type { Role } from '../../access/roles.ts';

/** A user as the API returns it ("User"). */
export interface UserRecord {
  readonly id: string;
  readonly email: string;
  /** Empty when none was given. */
  readonly full_name: string;
  readonly role: Role;
  readonly created_at: string;
}

export function toUserRecord(user: UserTable, role: Role): UserRecord {
  const { id, email, full_name, created_at } = user;
  return { id, email, full_name: full_name ?? '', role, created_at };
}
