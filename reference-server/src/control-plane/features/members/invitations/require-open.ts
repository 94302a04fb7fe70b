import { ApiError } from '../../../../http/errors.ts';
import type { RegistrationMode } from '../../../../lib/deployment-modes.ts';
import type { UserTable } from '../../../../storage/people-tables.ts';

/** Throws REGISTRATION_CLOSED for a person without an account when the installation accepts no new users. */
export function requireOpenFor(user: UserTable | undefined, registration: RegistrationMode): void {
  if (registration === 'closed' && user === undefined) throw new ApiError('REGISTRATION_CLOSED');
}
