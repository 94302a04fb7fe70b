import { controlPlane } from './migrations/0001-control-plane.ts';
import { events } from './migrations/0002-events.ts';
import { revisionsSearchImports } from './migrations/0010-revisions-search-imports.ts';
import { flagListIndexes } from './migrations/0011-flag-list-indexes.ts';
import { peopleAndGovernance } from './migrations/0020-people-and-governance.ts';
import { webhooks } from './migrations/0030-webhooks.ts';
import { exposuresAndSegmentLists } from './migrations/0040-exposures-and-segment-lists.ts';
import { secondFactors } from './migrations/0041-second-factors.ts';
import { keyNotices } from './migrations/0042-key-notices.ts';
import { leases } from './migrations/0043-leases.ts';
import { codeReferences } from './migrations/0050-code-references.ts';
import { memberRevisions } from './migrations/0051-member-revisions.ts';
import { hashedUserKeys } from './migrations/0060-hashed-user-keys.ts';
import { invitationRevisions } from './migrations/0061-invitation-revisions.ts';
import { recordedContexts } from './migrations/0061-recorded-contexts.ts';
import { countingFlags } from './migrations/0070-counting-flags.ts';
import { searchingFlags } from './migrations/0071-searching-flags.ts';
import { serviceAccounts } from './migrations/0072-service-accounts.ts';
import { secretMarks } from './migrations/0074-secret-marks.ts';
import { keysRevisions } from './migrations/0075-keys-revisions.ts';
import { repeatedWarnings } from './migrations/0076-repeated-warnings.ts';
import { confirmCritical } from './migrations/0077-confirm-critical.ts';
import { auditLeaves } from './migrations/0200-audit-leaves.ts';
import { jobRuns } from './migrations/0210-job-runs.ts';
import { eventKeys } from './migrations/0220-event-keys.ts';
import { eventUnits } from './migrations/0230-event-units.ts';
import { lastEvaluations } from './migrations/0231-last-evaluations.ts';
import { erasures } from './migrations/0233-erasures.ts';
import { keyRateLimits } from './migrations/0300-key-rate-limits.ts';
import { mailQueue } from './migrations/0310-mail-queue.ts';
import { auditByActor } from './migrations/0320-audit-by-actor.ts';
import { auditByTime } from './migrations/0321-audit-by-time.ts';
import { preferences } from './migrations/0330-preferences.ts';
import { flagChanges } from './migrations/0350-flag-changes.ts';
import { sdksSeen } from './migrations/0351-sdks-seen.ts';
import { servingStates } from './migrations/0360-serving-states.ts';
import { archivedEnvironments } from './migrations/0370-archived-environments.ts';
import { servingKinds } from './migrations/0380-serving-kinds.ts';
import { schema } from './migrations/postgres/0001-schema.ts';
import { rowLevelSecurity } from './migrations/postgres/0073-row-level-security.ts';
import { keysRevisions as keysRevisionsOnPostgres } from './migrations/postgres/0075-keys-revisions.ts';
import { eventKeys as eventKeysOnPostgres } from './migrations/postgres/0220-event-keys.ts';
import { eventsByDay } from './migrations/postgres/0232-events-by-day.ts';
import { sharedCounts } from './migrations/postgres/0301-shared-counts.ts';
import { watchedCommits } from './migrations/postgres/0302-watched-commits.ts';
import { servingStates as servingStatesOnPostgres } from './migrations/postgres/0360-serving-states.ts';
import { servingKinds as servingKindsOnPostgres } from './migrations/postgres/0380-serving-kinds.ts';

/**
 * Statements by the name of the migration. Migrations run in the order of their names. Each topic has its own block of
 * numbers, so a new migration runs even if its number is below that of one that has run.
 */
export type Migrations = Readonly<Record<string, readonly string[]>>;

export const SQLITE_MIGRATIONS: Migrations = {
  '0001-control-plane': controlPlane,
  '0002-events': events,
  '0010-revisions-search-imports': revisionsSearchImports,
  '0011-flag-list-indexes': flagListIndexes,
  '0020-people-and-governance': peopleAndGovernance,
  '0030-webhooks': webhooks,
  '0040-exposures-and-segment-lists': exposuresAndSegmentLists,
  '0041-second-factors': secondFactors,
  '0042-key-notices': keyNotices,
  '0043-leases': leases,
  '0050-code-references': codeReferences,
  '0051-member-revisions': memberRevisions,
  '0060-hashed-user-keys': hashedUserKeys,
  '0061-invitation-revisions': invitationRevisions,
  '0061-recorded-contexts': recordedContexts,
  '0070-counting-flags': countingFlags,
  '0071-searching-flags': searchingFlags,
  '0072-service-accounts': serviceAccounts,
  '0074-secret-marks': secretMarks,
  '0075-keys-revisions': keysRevisions,
  '0076-repeated-warnings': repeatedWarnings,
  '0077-confirm-critical': confirmCritical,
  '0200-audit-leaves': auditLeaves,
  '0210-job-runs': jobRuns,
  '0220-event-keys': eventKeys,
  '0300-key-rate-limits': keyRateLimits,
  '0310-mail-queue': mailQueue,
  '0320-audit-by-actor': auditByActor,
  '0330-preferences': preferences,
  '0350-flag-changes': flagChanges,
  '0351-sdks-seen': sdksSeen,
  '0360-serving-states': servingStates,
  '0370-archived-environments': archivedEnvironments,
  '0321-audit-by-time': auditByTime,
  '0230-event-units': eventUnits,
  '0380-serving-kinds': servingKinds,
  '0231-last-evaluations': lastEvaluations,
  '0233-erasures': erasures,
};

/**
 * PostgreSQL's column type for each column type of SQLite. The collation compares text byte by byte, as SQLite does.
 */
const POSTGRES_TYPES: Readonly<Record<string, string>> = {
  text: 'text collate "C"',
  integer: 'bigint',
  real: 'double precision',
};

/** Translates a `create table` or `alter table` of SQLite; returns other statements unchanged. */
export function forPostgres(statement: string): string {
  if (!/^(create|alter) table /.test(statement)) return statement;
  return statement
    .replace(/\) strict(, without rowid)?$/, ')')
    .replace(/(?<=\s)(text|integer|real)\b/g, (type) => POSTGRES_TYPES[type]!);
}

/** PostgreSQL's migrations. Statements that both engines share come from SQLite's list, translated by `forPostgres`. */
export const POSTGRES_MIGRATIONS: Migrations = {
  '0001-schema': schema.map(forPostgres),
  '0072-service-accounts': serviceAccounts.map(forPostgres),
  '0073-row-level-security': rowLevelSecurity,
  '0074-secret-marks': secretMarks.map(forPostgres),
  '0075-keys-revisions': keysRevisionsOnPostgres.map(forPostgres),
  '0076-repeated-warnings': repeatedWarnings.map(forPostgres),
  '0077-confirm-critical': confirmCritical,
  '0200-audit-leaves': auditLeaves.map(forPostgres),
  '0210-job-runs': jobRuns.map(forPostgres),
  '0220-event-keys': eventKeysOnPostgres,
  '0300-key-rate-limits': keyRateLimits.map(forPostgres),
  '0301-shared-counts': sharedCounts,
  '0302-watched-commits': watchedCommits,
  '0310-mail-queue': mailQueue.map(forPostgres),
  '0320-audit-by-actor': auditByActor,
  '0330-preferences': [...preferences.map(forPostgres), `call hold_to_organization('preferences')`],
  '0350-flag-changes': flagChanges,
  '0351-sdks-seen': [...sdksSeen.map(forPostgres), `call hold_to_organization('sdks_seen')`],
  '0360-serving-states': servingStatesOnPostgres,
  '0370-archived-environments': archivedEnvironments.map(forPostgres),
  '0321-audit-by-time': auditByTime,
  '0230-event-units': eventUnits.map(forPostgres),
  '0380-serving-kinds': servingKindsOnPostgres,
  '0231-last-evaluations': lastEvaluations,
  '0232-events-by-day': eventsByDay.map(forPostgres),
  '0233-erasures': [...erasures.map(forPostgres), `call hold_to_organization('erasures')`],
};
