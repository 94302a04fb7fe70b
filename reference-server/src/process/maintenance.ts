import { acceptSecrets, type Secrets } from '../app/secrets.ts';
import type { Database } from '../storage/database.ts';
import { newEpoch } from '../storage/ids.ts';

/** What is done to a database once, by `flagsvc-server <name>`, besides bringing it up to this version. */
export type Maintenance = (db: Database, secrets: Secrets) => Promise<string>;

/** Each gives what it has done, in a sentence. */
export const MAINTENANCE: Readonly<Record<string, Maintenance>> = {
  async 'accept-secrets'(db, secrets) {
    await acceptSecrets(db, secrets);
    return 'The database is used with the secrets of this environment from now on.';
  },
  async 'renew-epochs'(db) {
    const count = await renewEpochs(db);
    return `The rulesets of ${count} environments have another epoch.`;
  },
};

/** After a backup was restored: its versions are counted once more, and must not be taken for those from before. */
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
