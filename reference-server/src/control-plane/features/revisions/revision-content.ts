import type { Prerequisite } from '@flagsvc/sdk-core';
import { Type } from 'typebox';
import { Flag, type StoredRule, type UpdateFlagInput, type VariationInput } from '../flags/flag-schemas.ts';

const { name, description, status, enabled, variations, default_variation } = Flag.properties;
const { targeting_rules, prerequisites, tags, classification, client_side, permanent } = Flag.properties;
const { owner_id, expected_end_at, stale_after_days, track_exposures } = Flag.properties;

/** The fields of a flag at one revision in one environment. */
export const RevisionContent = Type.Object({
  name,
  description,
  status,
  enabled,
  variations,
  default_variation,
  targeting_rules,
  prerequisites,
  tags,
  classification,
  client_side,
  track_exposures,
  permanent,
  owner_id,
  expected_end_at,
  stale_after_days,
});

/** Stored columns as the API shows them. */
export function readRevision(columns: Readonly<Record<string, unknown>>) {
  const json = <T>(column: string): T => JSON.parse(columns[column] as string) as T;
  return {
    name: columns['name'] as string,
    description: columns['description'] as string,
    status: columns['status'] as string,
    enabled: columns['enabled'] === 1,
    variations: json<VariationInput[]>('variations_json'),
    default_variation: columns['default_variation'] as string,
    targeting_rules: json<StoredRule[]>('rules_json'),
    prerequisites: json<Prerequisite[]>('prerequisites_json'),
    tags: json<string[]>('tags_json'),
    classification: columns['classification'] as NonNullable<UpdateFlagInput['classification']> | null,
    client_side: columns['client_side'] === 1,
    // Absent in revisions older than the field.
    track_exposures: columns['track_exposures'] === 1,
    permanent: columns['permanent'] === 1,
    owner_id: columns['owner_id'] as string | null,
    expected_end_at: columns['expected_end_at'] as string | null,
    stale_after_days: columns['stale_after_days'] as number | null,
  };
}

export type RevisionFields = ReturnType<typeof readRevision>;

/** The fields that restoring a revision changes: all except the status and the owner. */
export function restoredInput(fields: RevisionFields): UpdateFlagInput {
  const { status: _status, enabled: _enabled, owner_id: _owner, ...input } = fields;
  return input;
}
