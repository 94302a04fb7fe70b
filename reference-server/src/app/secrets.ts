import { createHmac } from 'node:crypto';
import type { Database } from '../storage/database.ts';

export interface Secrets {
  readonly apiSecretKey: string;
  readonly jwtSecretKey: string;
}

const VARIABLES = { api: 'FLAGSVC_API_SECRET_KEY', jwt: 'FLAGSVC_JWT_SECRET_KEY' } as const;

/**
 * The database belongs to another `FLAGSVC_API_SECRET_KEY`, so its API keys, tokens and webhooks would stop working.
 */
export class SecretChanged extends Error {
  readonly code = 'SECRET_CHANGED';

  constructor() {
    super(
      `${VARIABLES.api} differs from the one that this database was last used with: its API keys, tokens and ` +
        'webhooks would not work. Set the earlier value; to change it on purpose, run "flagsvc-server ' +
        'accept-secrets" once with the new one.',
    );
  }
}

/**
 * Throws `SecretChanged` unless the API secret is the one that the database was last used with. The JWT secret may
 * change at any time; each change only causes one warning.
 */
export async function requireKnownSecrets(
  db: Database,
  { apiSecretKey, jwtSecretKey }: Secrets,
  warn: (message: string) => void,
): Promise<void> {
  if ((await compareOrStore(db, VARIABLES.api, apiSecretKey)) === 'different') throw new SecretChanged();
  if ((await compareOrStore(db, VARIABLES.jwt, jwtSecretKey)) === 'same') return;
  await storeMark(db, VARIABLES.jwt, jwtSecretKey);
  warn(
    `${VARIABLES.jwt} has changed: access tokens signed with the earlier one are refused. All processes on this database need the same value.`,
  );
}

/** Whether a secret is the one that the database was last used with; `unknown` if no server has stored it yet. */
export type SecretState = 'same' | 'different' | 'unknown';

/** Compares secrets with the stored marks, by the names of their variables. Writes nothing. */
export async function compareSecrets(
  db: Database,
  { apiSecretKey, jwtSecretKey }: Secrets,
): Promise<Readonly<Record<string, SecretState>>> {
  const rows = await db.selectFrom('secret_marks').selectAll().execute();
  const marks = new Map(rows.map(({ variable, mark }) => [variable, mark]));
  const stateOf = (variable: string, secret: string): SecretState => {
    const mark = marks.get(variable);
    if (mark === undefined) return 'unknown';
    return mark === markOf(secret) ? 'same' : 'different';
  };
  return {
    [VARIABLES.api]: stateOf(VARIABLES.api, apiSecretKey),
    [VARIABLES.jwt]: stateOf(VARIABLES.jwt, jwtSecretKey),
  };
}

/** Stores marks of these secrets, so that the database accepts them from now on. */
export async function acceptSecrets(db: Database, { apiSecretKey, jwtSecretKey }: Secrets): Promise<void> {
  await storeMark(db, VARIABLES.api, apiSecretKey);
  await storeMark(db, VARIABLES.jwt, jwtSecretKey);
}

/** A fingerprint that does not reveal the secret. */
export function markOf(secret: string): string {
  return createHmac('sha256', secret).update('flagsvc mark of a secret').digest('hex');
}

/** Compares a secret with the stored one; the first secret is stored. */
async function compareOrStore(db: Database, variable: string, secret: string): Promise<'same' | 'different'> {
  const find = () =>
    db.selectFrom('secret_marks').select('mark').where('variable', '=', variable).executeTakeFirst();
  const mark = markOf(secret);
  let known = await find();
  if (known === undefined) {
    await db
      .insertInto('secret_marks')
      .values({ variable, mark })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    // Another process may have stored another secret first.
    known = await find();
  }
  return known?.mark === mark ? 'same' : 'different';
}

async function storeMark(db: Database, variable: string, secret: string): Promise<void> {
  const mark = markOf(secret);
  await db
    .insertInto('secret_marks')
    .values({ variable, mark })
    .onConflict((conflict) => conflict.column('variable').doUpdateSet({ mark }))
    .execute();
}
