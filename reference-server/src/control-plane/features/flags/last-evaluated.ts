import { type Expression, sql } from 'kysely';

/** SQL for the hour in which a flag was last evaluated in an environment; null when it never was. */
export const lastEvaluated = (environmentId: string | Expression<string>) =>
  sql<string | null>`(select max(hour) from counters_hourly as counted
    where counted.organization_id = flags.organization_id and counted.environment_id = ${environmentId}
      and counted.flag_key = flags.key)`;
