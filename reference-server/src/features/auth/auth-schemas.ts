import { Type } from 'typebox';
import { ROLES } from '../../http/authorize.ts';

/** Pieces that the routes of users, passwords and invitations share. */

/** "User" of the specification. */
export const User = Type.Object({
  id: Type.String({ description: '`usr_` and an opaque string.' }),
  email: Type.String(),
  full_name: Type.String({ description: 'Empty when none was given.' }),
  role: Type.Enum([...ROLES]),
  created_at: Type.String({ format: 'date-time' }),
});

// The format alone would let `someone@host` pass.
export const Email = Type.String({
  format: 'email',
  pattern: '^[^\\s@]+@[^\\s@.]+(\\.[^\\s@.]+)+$',
  maxLength: 254,
});

/** Bounded, since hashing takes time in proportion. */
export const NewPassword = Type.String({ minLength: 8, maxLength: 1_024 });

export const Password = Type.String({ maxLength: 1_024 });

export const FullName = Type.String({ maxLength: 200 });

/** What an authenticator app shows, or a recovery code. */
export const MfaCode = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Of the authenticator app, 6 digits, or a recovery code. Each is good once.',
});

/** A token from a message. */
export const MailedToken = Type.String({ minLength: 1, maxLength: 200 });
