import { compareSecrets, type Secrets } from '../../app/secrets.ts';
import type { Database } from '../../storage/database.ts';
import type { CheckResult } from './check-result.ts';

/** Whether the database was last used with these secrets. */
export async function checkSecrets(db: Database, secrets: Secrets): Promise<CheckResult> {
  const { FLAGSVC_API_SECRET_KEY: api, FLAGSVC_JWT_SECRET_KEY: jwt } = await compareSecrets(db, secrets);
  if (api === 'different') {
    return {
      status: 'failed',
      message:
        'FLAGSVC_API_SECRET_KEY is not the one that this database was last used with; set that one, or the API keys, tokens and webhooks do not work',
    };
  }
  if (api === 'unknown') {
    return { status: 'warning', message: 'no server has used this database yet, so any secrets fit' };
  }
  if (jwt === 'different') {
    return {
      status: 'warning',
      message: 'FLAGSVC_JWT_SECRET_KEY has changed; clients have to renew their access tokens',
    };
  }
  return { status: 'ok', message: 'the secrets are those of this database' };
}
