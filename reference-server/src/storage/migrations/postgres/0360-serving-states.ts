/** A column with what each flag serves in each environment, so that lists filter by it without parsing rules. */
export const servingStates: readonly string[] = [
  `alter table flag_environments add column serving_state text collate "C" generated always as (
    case when enabled = 0 then 'off' when rules_json = '[]' then 'on'
      when prerequisites_json <> '[]' or json_array_length(as_json(rules_json) -> 0 -> 'conditions') > 0 then 'rules'
      when coalesce(as_json(rules_json) -> 0 ->> 'percentage_rollout', '[]') = '[]' then 'on'
      when strpos(as_json(rules_json) -> 0 ->> 'percentage_rollout', '"percentage":100') > 0 then 'on'
      else 'share' end) stored`,
  'create index flag_environments_by_state on flag_environments (flag_id, serving_state, environment_id)',
];
