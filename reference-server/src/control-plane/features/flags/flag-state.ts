import type { Prerequisite } from '@flagsvc/sdk-core';
import type { Selectable } from 'kysely';
import type { FlagEnvironmentTable, FlagTable } from '../../../storage/flag-tables.ts';
import type { FlagListItem, FlagRecord, StoredRule, VariationInput } from './flag-schemas.ts';

/** A row of `flags`. */
export type FlagRow = Selectable<FlagTable>;

/** A row of `flag_environments`, as it is written. */
export type ConfigRow = Omit<
  Selectable<FlagEnvironmentTable>,
  'last_evaluated_at' | 'serving_state' | 'serving_kind'
>;

/** A flag in one environment: its row of `flags` and its row of `flag_environments`, parsed. */
export interface FlagState {
  readonly id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly flagType: FlagRecord['flag_type'];
  readonly status: FlagRecord['status'];
  readonly variations: readonly VariationInput[];
  readonly tags: readonly string[];
  readonly classification: FlagRecord['classification'];
  readonly clientSide: boolean;
  readonly trackExposures: boolean;
  readonly permanent: boolean;
  readonly ownerId: string | null;
  readonly expectedEndAt: string | null;
  readonly archivedAt: string | null;
  readonly createdAt: string;
  readonly staleSince: string | null;
  readonly staleReasons: readonly FlagRecord['stale_reasons'][number][];
  readonly staleAfterDays: number | null;
  readonly staleSnoozedUntil: string | null;
  /** Revision of the part that all environments share. */
  readonly flagRevision: number;
  readonly flagUpdatedAt: string;

  readonly enabled: boolean;
  readonly defaultVariation: string;
  /** Sorted by priority. */
  readonly rules: readonly StoredRule[];
  readonly prerequisites: readonly Prerequisite[];
  readonly lastEvaluatedAt: string | null;
  /** Revision of the configuration in this environment. */
  readonly configRevision: number;
  readonly configUpdatedAt: string;
}

/**
 * The revision that callers see. `flagRevision` and `configRevision` only grow, so their sum identifies one state of
 * the flag in the environment, and a change in another environment does not alter it.
 */
export function revisionOf(state: FlagState): number {
  return state.flagRevision + state.configRevision;
}

function updatedAtOf({ flagUpdatedAt, configUpdatedAt }: FlagState): string {
  return flagUpdatedAt > configUpdatedAt ? flagUpdatedAt : configUpdatedAt;
}

export function readFlag(
  flag: FlagRow,
  config: ConfigRow & { readonly last_evaluated_at: string | null },
): FlagState {
  return {
    id: flag.id,
    organizationId: flag.organization_id,
    projectId: flag.project_id,
    environmentId: config.environment_id,
    key: flag.key,
    name: flag.name,
    description: flag.description,
    flagType: flag.flag_type as FlagState['flagType'],
    status: flag.status as FlagState['status'],
    variations: JSON.parse(flag.variations_json) as VariationInput[],
    tags: JSON.parse(flag.tags_json) as string[],
    classification: flag.classification as FlagState['classification'],
    clientSide: flag.client_side === 1,
    trackExposures: flag.track_exposures === 1,
    permanent: flag.permanent === 1,
    ownerId: flag.owner_id,
    expectedEndAt: flag.expected_end_at,
    archivedAt: flag.archived_at,
    createdAt: flag.created_at,
    staleSince: flag.stale_since,
    staleReasons: JSON.parse(flag.stale_reasons_json) as FlagState['staleReasons'],
    staleAfterDays: flag.stale_after_days,
    staleSnoozedUntil: flag.stale_snoozed_until,
    flagRevision: flag.revision,
    flagUpdatedAt: flag.updated_at,
    enabled: config.enabled === 1,
    defaultVariation: config.default_variation,
    rules: JSON.parse(config.rules_json) as StoredRule[],
    prerequisites: JSON.parse(config.prerequisites_json) as Prerequisite[],
    lastEvaluatedAt: config.last_evaluated_at,
    configRevision: config.revision,
    configUpdatedAt: config.updated_at,
  };
}

/** The row of the part that all environments share. */
export function flagRow(state: FlagState): FlagRow {
  return {
    organization_id: state.organizationId,
    project_id: state.projectId,
    id: state.id,
    key: state.key,
    name: state.name,
    description: state.description,
    flag_type: state.flagType,
    status: state.status,
    variations_json: JSON.stringify(state.variations),
    tags_json: JSON.stringify(state.tags),
    classification: state.classification,
    client_side: state.clientSide ? 1 : 0,
    track_exposures: state.trackExposures ? 1 : 0,
    permanent: state.permanent ? 1 : 0,
    owner_id: state.ownerId,
    expected_end_at: state.expectedEndAt,
    revision: state.flagRevision,
    created_at: state.createdAt,
    updated_at: state.flagUpdatedAt,
    archived_at: state.archivedAt,
    stale_since: state.staleSince,
    stale_reasons_json: JSON.stringify(state.staleReasons),
    stale_after_days: state.staleAfterDays,
    stale_snoozed_until: state.staleSnoozedUntil,
  };
}

/** The row of the configuration in the environment. */
export function configRow(state: FlagState): ConfigRow {
  return {
    organization_id: state.organizationId,
    flag_id: state.id,
    environment_id: state.environmentId,
    enabled: state.enabled ? 1 : 0,
    default_variation: state.defaultVariation,
    rules_json: JSON.stringify(state.rules),
    prerequisites_json: JSON.stringify(state.prerequisites),
    revision: state.configRevision,
    updated_at: state.configUpdatedAt,
  };
}

/** The fields that the audit log compares: those that users can change. */
export function fieldsOf(state: FlagState) {
  return {
    key: state.key,
    name: state.name,
    description: state.description,
    flag_type: state.flagType,
    status: state.status,
    enabled: state.enabled,
    variations: state.variations,
    default_variation: state.defaultVariation,
    targeting_rules: state.rules,
    prerequisites: state.prerequisites,
    tags: state.tags,
    classification: state.classification,
    client_side: state.clientSide,
    track_exposures: state.trackExposures,
    permanent: state.permanent,
    owner_id: state.ownerId,
    expected_end_at: state.expectedEndAt,
    stale_reasons: state.staleReasons,
    stale_after_days: state.staleAfterDays,
  };
}

/** The resource of a change, with the state after it. */
export function resourceOf(after: FlagState) {
  const { id, key, projectId, environmentId, enabled, tags } = after;
  return {
    type: 'flag',
    id,
    key,
    projectId,
    environmentId,
    flag: { enabled, revision: revisionOf(after), tags },
  };
}

/** The resource of a change that belongs to no single environment. */
export function projectWideResource(after: FlagState) {
  const flag = { enabled: null, revision: after.flagRevision, tags: after.tags };
  return { ...resourceOf(after), environmentId: null, flag };
}

/** The flag as the API returns it. */
export function toRecord(state: FlagState): FlagRecord {
  const { targeting_rules, ...fields } = fieldsOf(state);
  return {
    id: state.id,
    ...fields,
    variations: [...state.variations],
    prerequisites: [...state.prerequisites],
    tags: [...state.tags],
    stale_reasons: [...state.staleReasons],
    stale_since: state.staleSince,
    archived_at: state.archivedAt,
    targeting_rules: [...targeting_rules],
    environment_id: state.environmentId,
    project_id: state.projectId,
    last_evaluated_at: state.lastEvaluatedAt,
    revision: revisionOf(state),
    created_at: state.createdAt,
    updated_at: updatedAtOf(state),
  };
}

/** The flag as a list contains it. */
export function toListItem(state: FlagState): FlagListItem {
  const { targeting_rules, ...record } = toRecord(state);
  return { ...record, targeting_rules_count: targeting_rules.length };
}
