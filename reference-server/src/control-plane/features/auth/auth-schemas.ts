import { Type } from 'typebox';
import { Name, Timestamp } from '../../../http/schemas.ts';
import { ROLES } from '../../access/roles.ts';
import { SCOPES } from '../../access/scopes.ts';

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

/** What is shown of a token for programs, but for its id. */
export const programToken = {
  name: Type.String(),
  scopes: Type.Array(Type.Enum([...SCOPES])),
  last_four: Type.String(),
  status: Type.Enum(['active', 'expired']),
  created_at: Timestamp,
  expires_at: Timestamp,
  last_used_at: Type.Union([Timestamp, Type.Null()]),
};

/** What the answer shows that made it. */
export const shownToken = {
  token: Type.Optional(
    Type.String({ description: 'The token itself: only here, and not when an Idempotency-Key is repeated.' }),
  ),
};

export const NewProgramToken = Type.Object({
  name: Name,
  scopes: Type.Array(Type.Enum([...SCOPES]), {
    minItems: 1,
    maxItems: SCOPES.length,
    description:
      '`read`; `code_references:write`, for scanners of code; `flags:write`; `admin`: all that the role allows. Each includes those before it.',
  }),
  expires_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'At most a year away; default in 90 days.' }),
  ),
});

/** A token from a message. */
export const MailedToken = Type.String({ minLength: 1, maxLength: 200 });
