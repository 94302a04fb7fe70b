import type { Queryable, Tx } from '../../../storage/database.ts';
import type { WebhookTable } from '../../../storage/webhook-tables.ts';

export interface WebhookRange {
  readonly limit: number;
  readonly offset: number;
}

export async function findWebhook(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<WebhookTable | undefined> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Webhooks, oldest first; without `projectId`, those of all projects and of the organization. */
export async function listWebhooks(
  db: Queryable,
  { organizationId, projectId }: { readonly organizationId: string; readonly projectId: string | undefined },
  { limit, offset }: WebhookRange,
): Promise<{ rows: readonly WebhookTable[]; total: number }> {
  let all = db.selectFrom('webhooks').where('organization_id', '=', organizationId);
  if (projectId !== undefined) all = all.where('project_id', '=', projectId);
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await all.selectAll().orderBy('id').limit(limit).offset(offset).execute();
  return { rows, total };
}

/** The enabled webhooks of an organization. */
export async function listEnabledWebhooks(
  db: Queryable,
  organizationId: string,
): Promise<readonly WebhookTable[]> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('enabled', '=', 1)
    .orderBy('id')
    .execute();
}

/** Ids and public keys of all webhooks that sign with Ed25519, in all organizations. */
export async function listPublicKeys(
  db: Queryable,
): Promise<readonly { readonly id: string; readonly public_key: string | null }[]> {
  return db
    .selectFrom('webhooks')
    .select(['id', 'public_key'])
    .where('public_key', 'is not', null)
    .orderBy('id')
    .execute();
}

/** How many webhooks a project has; with null, how many the organization itself has. */
export async function countWebhooks(
  db: Queryable,
  organizationId: string,
  projectId: string | null,
): Promise<number> {
  const { total } = await db
    .selectFrom('webhooks')
    .where('organization_id', '=', organizationId)
    .where('project_id', projectId === null ? 'is' : '=', projectId)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

export async function insertWebhook(tx: Tx, row: WebhookTable): Promise<void> {
  await tx.insertInto('webhooks').values(row).execute();
}

export async function updateWebhook(tx: Tx, { id, ...columns }: WebhookTable): Promise<void> {
  await tx.updateTable('webhooks').set(columns).where('id', '=', id).execute();
}

export async function deleteWebhook(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('webhooks').where('id', '=', id).execute();
}
