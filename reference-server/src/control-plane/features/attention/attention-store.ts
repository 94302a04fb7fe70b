import type { Queryable } from '../../../storage/database.ts';

interface Place {
  readonly organizationId: string;
  readonly projectId: string;
}

/** Break-glass sessions that are over, wait for a review, and were opened by somebody else. */
export async function countReviews(
  db: Queryable,
  organizationId: string,
  { reviewerId, at }: { readonly reviewerId: string | null; readonly at: string },
): Promise<number> {
  const { total } = await db
    .selectFrom('break_glass')
    .leftJoin('sessions', 'sessions.id', 'break_glass.session_id')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('break_glass.organization_id', '=', organizationId)
    .where('reviewed_at', 'is', null)
    .where('opened_by', '!=', reviewerId ?? '')
    .where((eb) =>
      eb.or([
        eb('closed_at', 'is not', null),
        eb('break_glass.expires_at', '<=', at),
        eb('sessions.revoked_at', 'is not', null),
      ]),
    )
    .executeTakeFirstOrThrow();
  return total;
}

/** Webhooks of the project and of the organization that fail, or that the server disabled because they failed. */
export async function countFailingWebhooks(
  db: Queryable,
  { organizationId, projectId }: Place,
): Promise<number> {
  const { total } = await db
    .selectFrom('webhooks')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('organization_id', '=', organizationId)
    .where((eb) => eb.or([eb('project_id', 'is', null), eb('project_id', '=', projectId)]))
    .where((eb) =>
      eb.or([
        eb.and([eb('enabled', '=', 1), eb('failing_since', 'is not', null)]),
        eb('disabled_reason', 'is not', null),
      ]),
    )
    .executeTakeFirstOrThrow();
  return total;
}

/** Usable API keys that expire in a period. */
export async function countExpiringKeys(
  db: Queryable,
  { organizationId, projectId }: Place,
  {
    from,
    until,
    withProduction,
  }: { readonly from: string; readonly until: string; readonly withProduction: boolean },
): Promise<number> {
  const { total } = await db
    .selectFrom('api_keys')
    .innerJoin('environments', 'environments.id', 'api_keys.environment_id')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('api_keys.organization_id', '=', organizationId)
    .where('api_keys.project_id', '=', projectId)
    .where('environments.archived_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', from)
    .where('expires_at', '<=', until)
    .$if(!withProduction, (keys) => keys.where('environments.type', '!=', 'production'))
    .executeTakeFirstOrThrow();
  return total;
}

/** The environments of a project, with what decides whether a freeze window covers them. */
export async function listPlaces(db: Queryable, { organizationId, projectId }: Place) {
  return db
    .selectFrom('environments')
    .select(['id', 'project_id', 'type'])
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .where('archived_at', 'is', null)
    .execute();
}

/** Scheduled changes that were not made, latest first: at most `max`, of those that were due since a time. */
export async function listFailedChanges(
  db: Queryable,
  { organizationId, projectId }: Place,
  { since, max }: { readonly since: string; readonly max: number },
) {
  const failed = db
    .selectFrom('scheduled_changes')
    .innerJoin('flags', 'flags.id', 'scheduled_changes.flag_id')
    .where('scheduled_changes.organization_id', '=', organizationId)
    .where('scheduled_changes.project_id', '=', projectId)
    .where('scheduled_changes.status', 'in', ['failed', 'conflicted'])
    .where('execute_at', '>=', since);
  const { total } = await failed
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const first = await failed
    .select(['scheduled_changes.id', 'flag_id', 'flags.key as flag_key', 'flags.name as flag_name'])
    .select(['environment_id', 'execute_at', 'scheduled_changes.status', 'error_json'])
    .orderBy('execute_at', 'desc')
    .orderBy('scheduled_changes.id')
    .limit(max)
    .execute();
  return {
    total,
    first: first.map(({ error_json, ...change }) => ({ ...change, message: messageOf(error_json) })),
  };
}

const messageOf = (json: string | null): string | null =>
  json === null ? null : (JSON.parse(json) as { readonly message: string }).message;

/** The open scheduled changes of a project, soonest first, with the key and the tags of their flags. */
export async function listOpenChanges(db: Queryable, { organizationId, projectId }: Place) {
  return db
    .selectFrom('scheduled_changes')
    .innerJoin('flags', 'flags.id', 'scheduled_changes.flag_id')
    .select(['scheduled_changes.id', 'flag_id', 'flags.key', 'flags.name', 'flags.tags_json'])
    .select(['environment_id', 'execute_at', 'on_freeze'])
    .where('scheduled_changes.organization_id', '=', organizationId)
    .where('scheduled_changes.project_id', '=', projectId)
    .where('scheduled_changes.status', 'in', ['pending', 'blocked'])
    .orderBy('execute_at')
    .orderBy('scheduled_changes.id')
    .execute();
}
