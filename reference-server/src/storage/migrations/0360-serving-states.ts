/**
 * A column with what each flag serves in each environment, so that lists filter by it without parsing rules. The
 * database computes it, because servers of an older version also write these rows.
 */
export const servingStates: readonly string[] = [
  // SQLite cannot add a stored column; the indexes keep the values. Damaged JSON must not fail a statement.
  `alter table flag_environments add column serving_state text generated always as (
    case when enabled = 0 then 'off' when rules_json = '[]' then 'on' when not json_valid(rules_json) then 'rules'
      when prerequisites_json <> '[]' or json_array_length(rules_json, '$[0].conditions') > 0 then 'rules'
      when coalesce(json_array_length(rules_json, '$[0].percentage_rollout'), 0) = 0 then 'on'
      when instr(rules_json -> '$[0].percentage_rollout', '"percentage":100') > 0 then 'on'
      else 'share' end) virtual`,
  'create index flag_environments_by_state on flag_environments (flag_id, serving_state, environment_id)',
];
