import { generateKey } from '../src/publishing/key-format.ts';
import { hashApiKey } from '../src/publishing/key-ring.ts';
import type { Database } from '../src/storage/database.ts';
import { sampleRows } from './rows.ts';

/**
 * Inserts flags, segments and an API key for the first production environment of an installed database, without the
 * API. Returns the API key.
 */
export async function fillDatabase(
  db: Database,
  options: { readonly apiSecretKey: string; readonly flags: number },
): Promise<string> {
  const environment = await db
    .selectFrom('environments')
    .select(['id', 'organization_id', 'project_id'])
    .where('type', '=', 'production')
    .executeTakeFirstOrThrow();
  const { organization_id, project_id } = environment;
  const at = new Date().toISOString();
  const { flags, segments } = sampleRows(options.flags);

  await db.transaction().execute(async (tx) => {
    for (const [index, flag] of flags.entries()) {
      const {
        enabled,
        default_variation,
        rules_json,
        prerequisites_json,
        key,
        flag_type,
        status,
        client_side,
      } = flag;
      const flag_id = `flg_${index}`;
      await tx
        .insertInto('flags')
        .values({
          organization_id,
          project_id,
          id: flag_id,
          key,
          flag_type,
          status,
          client_side,
          name: key,
          description: '',
          variations_json: flag.variations_json,
          tags_json: '[]',
          classification: null,
          permanent: 0,
          owner_id: null,
          expected_end_at: null,
          revision: 1,
          created_at: at,
          updated_at: at,
          archived_at: null,
        })
        .execute();
      await tx
        .insertInto('flag_environments')
        .values({
          organization_id,
          flag_id,
          environment_id: environment.id,
          enabled,
          default_variation,
          rules_json,
          prerequisites_json,
          revision: 1,
          updated_at: at,
        })
        .execute();
    }
    for (const { id, key, conditions_json } of segments) {
      await tx
        .insertInto('segments')
        .values({
          organization_id,
          project_id,
          id,
          key,
          conditions_json,
          name: key,
          description: '',
          tags_json: '[]',
          revision: 1,
          created_at: at,
          updated_at: at,
        })
        .execute();
    }
  });

  const apiKey = generateKey('production');
  await db
    .insertInto('api_keys')
    .values({
      organization_id,
      project_id,
      environment_id: environment.id,
      id: 'key_bench',
      name: 'bench',
      kind: 'server',
      hash: hashApiKey(options.apiSecretKey, apiKey),
      prefix: 'sdk-prod-',
      last_four: apiKey.slice(-4),
      allowed_origins_json: '[]',
      allowed_ips_json: '[]',
      rate_limits_json: '{}',
      created_by: null,
      revision: 1,
      created_at: at,
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
    })
    .execute();
  return apiKey;
}
