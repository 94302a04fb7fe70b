/** Fills `last_evaluated_at`, so that lists of flags need no counts of events, which may be in another database. */
export const lastEvaluations: readonly string[] = [
  `update flag_environments set last_evaluated_at = (
    select max(counted.hour) from flags join counters_hourly as counted
      on counted.organization_id = flags.organization_id and counted.flag_key = flags.key
    where flags.id = flag_environments.flag_id and counted.environment_id = flag_environments.environment_id)`,
];
