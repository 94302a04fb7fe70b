import { createHmac } from 'node:crypto';
import type { Database } from '../storage/database.ts';

export interface Secrets {
  readonly apiSecretKey: string;
  readonly jwtSecretKey: string;
}

const VARIABLES = { api: 'FLAGSVC_API_SECRET_KEY', jwt: 'FLAGSVC_JWT_SECRET_KEY' } as const;

/** The database holds what was made with another secret, and all of it would be refused. */
export class SecretChanged extends Error {
  readonly code = 'SECRET_CHANGED';

  constructor() {
    super(
      `${VARIABLES.api} is not the one that this database is used with: its API keys, tokens and webhooks would ` +
        'not work. Set the one from before; to change it on purpose, run "flagsvc-server accept-secrets" once with ' +
        'the new one.',
    );
  }
}

/**
 * Throws `SecretChanged` when API keys and the like were made with another secret than this. The other secret may be
 * changed at any time: that is told, and from then on the new one is the one that is known.
 */
export async function requireKnownSecrets(
  db: Database,
  { apiSecretKey, jwtSecretKey }: Secrets,
  warn: (message: string) => void,
): Promise<void> {
  if ((await noteFirst(db, VARIABLES.api, apiSecretKey)) === 'another') throw new SecretChanged();
  if ((await noteFirst(db, VARIABLES.jwt, jwtSecretKey)) === 'same') return;
  await note(db, VARIABLES.jwt, jwtSecretKey);
  warn(
    `${VARIABLES.jwt} is another than before: access tokens that were made with it are refused. All processes on this database need the same.`,
  );
}

/** From now on these are the ones that the database is used with. */
export async function acceptSecrets(db: Database, { apiSecretKey, jwtSecretKey }: Secrets): Promise<void> {
  await note(db, VARIABLES.api, apiSecretKey);
  await note(db, VARIABLES.jwt, jwtSecretKey);
}

/** Says nothing of the secret to whoever does not have it. */
function markOf(secret: string): string {
  return createHmac('sha256', secret).update('flagsvc mark of a secret').digest('hex');
}

async function noteFirst(db: Database, variable: string, secret: string): Promise<'same' | 'another'> {
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
    // Another process may have been faster, with another secret.
    known = await find();
  }
  return known?.mark === mark ? 'same' : 'another';
}

async function note(db: Database, variable: string, secret: string): Promise<void> {
  const mark = markOf(secret);
  await db
    .insertInto('secret_marks')
    .values({ variable, mark })
    .onConflict((conflict) => conflict.column('variable').doUpdateSet({ mark }))
    .execute();
}
