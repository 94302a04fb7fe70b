import type { WebhookTable } from '../../../../storage/webhook-tables.ts';
import type { CommittedEvent } from '../../../outbox/outbox-store.ts';
import { RULESET_UPDATED } from '../../../write-gate/audit-actions.ts';
import { matchesAction } from '../../../write-gate/match-action.ts';

/** Details of an event beyond its audit entry. */
export interface EventFacts {
  readonly project: { readonly id: string; readonly key: string } | null;
  readonly environment: { readonly id: string; readonly key: string; readonly type: string } | null;
  /**
   * Further environments that the change affects: all environments of the project if they share the changed part,
   * otherwise none.
   */
  readonly alsoIn: readonly string[];
}

/** A longer body is replaced by the thin form. */
export const BODY_BYTES_MAX = 20 * 1024;

/** Whether the webhook subscribes to the event, by type, project, environments and tags. */
export function matches(
  webhook: WebhookTable,
  type: string,
  { event, facts }: { readonly event: CommittedEvent; readonly facts: EventFacts },
): boolean {
  const { entry, versions, flag } = event;
  if (webhook.project_id !== null && webhook.project_id !== entry.project_id) return false;
  if (!(JSON.parse(webhook.events_json) as string[]).some((pattern) => covers(pattern, type))) return false;
  const environmentIds = JSON.parse(webhook.environment_ids_json) as string[];
  const reached = [entry.environment_id, ...Object.keys(versions), ...facts.alsoIn];
  if (environmentIds.length > 0 && !environmentIds.some((id) => reached.includes(id))) return false;
  const tags = JSON.parse(webhook.tags_json) as string[];
  return tags.length === 0 || tags.some((tag) => flag?.tags.includes(tag) === true);
}

/**
 * Whether a pattern covers a type: `flag.*` covers all events of flags, and `*` covers all events except
 * `ruleset.updated`, which always accompanies the event of the change that caused it.
 */
export function covers(pattern: string, type: string): boolean {
  return pattern === '*' ? type !== RULESET_UPDATED : matchesAction(pattern, type);
}

/** The exact text that is signed and sent. */
export function writeBody(
  type: string,
  { entry, versions, flag }: CommittedEvent,
  { facts, payload }: { readonly facts: EventFacts; readonly payload: 'full' | 'thin' },
): string {
  const { project, environment } = facts;
  const core = {
    organization_id: entry.organization_id,
    project,
    environment,
    resource: { type: entry.resource_type, id: entry.resource_id, key: entry.resource_key },
    actor: { id: entry.actor_id, kind: entry.actor_kind },
    ...versionsOf(entry.environment_id, versions),
    audit_id: entry.id,
  };
  const write = (data: object): string => JSON.stringify({ type, timestamp: entry.created_at, data });
  const name = { id: entry.resource_id, key: entry.resource_key };
  if (payload === 'full') {
    const shown = flag && { flag: { ...name, enabled: flag.enabled, revision: flag.revision } };
    const full = write({ ...core, ...shown, changes: JSON.parse(entry.changes_json) as object });
    if (Buffer.byteLength(full) <= BODY_BYTES_MAX) return full;
  }
  return write({ ...core, ...(flag && { flag: name }), thin: true });
}

/**
 * The ruleset version of the event's own environment; also all ruleset versions, if the event changed those of other
 * environments.
 */
function versionsOf(environmentId: string | null, versions: Readonly<Record<string, number>>): object {
  const own = environmentId === null ? undefined : versions[environmentId];
  const others = Object.keys(versions).length - (own === undefined ? 0 : 1);
  return {
    ...(own !== undefined && { ruleset_version: own }),
    ...(others > 0 && { ruleset_versions: versions }),
  };
}
