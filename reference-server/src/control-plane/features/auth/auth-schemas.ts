import { Type } from 'typebox';
import { Name, Timestamp } from '../../../http/schemas.ts';
import { ROLES } from '../../access/roles.ts';
import { SCOPES } from '../../access/scopes.ts';

/** Schemas that the routes of auth, members and service accounts share. */

/** "User" of the specification. */
export const User = Type.Object({
  id: Type.String({ description: '`usr_` and an opaque string.' }),
  email: Type.String(),
  full_name: Type.String({ description: 'Empty when none was given.' }),
  role: Type.Enum([...ROLES]),
  created_at: Type.String({ format: 'date-time' }),
});

const AccessToken = Type.Object({
  access_token: Type.String({ description: 'JWT.' }),
  token_type: Type.Literal('bearer'),
  expires_in: Type.Integer({ description: 'Seconds until the access token expires.' }),
});

/** The answer to a refresh. */
export const RefreshedToken = AccessToken;

/** "Token set" of the specification. */
export const TokenSet = Type.Object({
  ...AccessToken.properties,
  refresh_token: Type.String({
    description: '`rt_` and an opaque string; valid for 30 days or until logout.',
  }),
});

// The format alone accepts `someone@host`.
export const Email = Type.String({
  format: 'email',
  pattern: '^[^\\s@]+@[^\\s@.]+(\\.[^\\s@.]+)+$',
  maxLength: 254,
});

/** The upper bound limits the time that hashing takes. */
export const NewPassword = Type.String({ minLength: 8, maxLength: 1_024 });

export const Password = Type.String({ maxLength: 1_024 });

export const FullName = Type.String({ maxLength: 200 });

export const MfaCode = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'A 6-digit code of the authenticator app, or a recovery code. Each works once.',
});

/** The fields of a machine token, without its id. */
export const machineToken = {
  name: Type.String(),
  scopes: Type.Array(Type.Enum([...SCOPES])),
  last_four: Type.String(),
  status: Type.Enum(['active', 'expired']),
  created_at: Timestamp,
  expires_at: Timestamp,
  last_used_at: Type.Union([Timestamp, Type.Null()]),
};

/** The field that only the answer to the creation of a machine token has. */
export const createdToken = {
  token: Type.Optional(
    Type.String({
      description:
        'The token itself. Returned only in this answer; a request repeated with the same Idempotency-Key does not return it again.',
    }),
  ),
};

export const NewMachineToken = Type.Object({
  name: Name,
  scopes: Type.Array(Type.Enum([...SCOPES]), {
    minItems: 1,
    maxItems: SCOPES.length,
    description:
      '`read`; `code_references:write` (for code scanners); `flags:write`; `admin` (everything that the role allows). Each scope includes the ones before it.',
  }),
  expires_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'At most a year from now; default 90 days.' }),
  ),
});

/** A token from an email. */
export const MailedToken = Type.String({ minLength: 1, maxLength: 200 });
