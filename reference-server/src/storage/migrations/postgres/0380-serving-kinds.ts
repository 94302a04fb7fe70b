/** What each flag serves in each environment: `serving_state` of older versions, corrected for revision 3 of bucketing. */
export const servingKinds: readonly string[] = [
  `alter table flag_environments add column serving_kind text collate "C" generated always as (
    case when enabled = 0 then 'off' when rules_json = '[]' then 'on'
      when prerequisites_json <> '[]' or json_array_length(as_json(rules_json) -> 0 -> 'conditions') > 0 then 'rules'
      when coalesce(as_json(rules_json) -> 0 ->> 'percentage_rollout', '[]') = '[]' then 'on'
      when json_typeof(as_json(rules_json) -> 0 -> 'bucketing') = 'object' then
        case when as_json(rules_json) -> 0 -> 'bucketing' ->> 'by' = 'user_key'
          and coalesce(as_json(rules_json) -> 0 -> 'bucketing' ->> 'gates', '[]') = '[]'
          and as_json(rules_json) -> 0 -> 'bucketing' -> 'ranges' -> 0 ->> 'from' = '0'
          and as_json(rules_json) -> 0 -> 'bucketing' -> 'ranges' -> 0 ->> 'to' = '10000' then 'on' else 'share' end
      when strpos(as_json(rules_json) -> 0 ->> 'percentage_rollout', '"percentage":100') > 0 then 'on'
      else 'share' end) stored`,
  'create index flag_environments_by_kind on flag_environments (flag_id, serving_kind, environment_id)',
  'drop index flag_environments_by_state',
];
