import { acceptSecrets, type Secrets } from '../app/secrets.ts';
import type { Database } from '../storage/database.ts';
import { newEpoch } from '../storage/ids.ts';
import type { Config } from './config-variables.ts';
import { openOrFail } from './open-database.ts';
import { print } from './output.ts';

/** A one-off task on the database, run by one of the `COMMANDS`. Returns a sentence that says what it did. */
export type Maintenance = (db: Database, secrets: Secrets) => Promise<string>;

export const acceptSecretsTask: Maintenance = async (db, secrets) => {
  await acceptSecrets(db, secrets);
  return 'The database now accepts the secrets of this environment.';
};

export const renewEpochsTask: Maintenance = async (db) => {
  const count = await renewEpochs(db);
  return `Renewed the ruleset epochs of ${count} environments.`;
};

/** Opens the database, runs one task and prints what it did. */
export async function maintain(config: Config, task: Maintenance): Promise<void> {
  const db = await openOrFail(config);
  if (db === undefined) return;
  try {
    print(await task(db, config));
  } finally {
    await db.destroy();
  }
}

/**
 * Gives every ruleset a new epoch. Needed after restoring a backup: version numbers then continue from those in the
 * backup, and clients must not mistake a repeated number for the ruleset that had it before.
 */
async function renewEpochs(db: Database): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const rulesets = await tx.selectFrom('rulesets').select('environment_id').execute();
    for (const { environment_id } of rulesets) {
      await tx
        .updateTable('rulesets')
        .set({ epoch: newEpoch() })
        .where('environment_id', '=', environment_id)
        .execute();
    }
    return rulesets.length;
  });
}
