/**
 * What each flag serves in each environment: `serving_state` of older versions, corrected for revision 3 of bucketing. Its
 * gates and ranges decide, and its `percentage_rollout` may say 100 although most users get the default.
 */
export const servingKinds: readonly string[] = [
  `alter table flag_environments add column serving_kind text generated always as (
    case when enabled = 0 then 'off' when rules_json = '[]' then 'on' when not json_valid(rules_json) then 'rules'
      when prerequisites_json <> '[]' or json_array_length(rules_json, '$[0].conditions') > 0 then 'rules'
      when coalesce(json_array_length(rules_json, '$[0].percentage_rollout'), 0) = 0 then 'on'
      when json_type(rules_json, '$[0].bucketing') = 'object' then
        case when rules_json ->> '$[0].bucketing.by' = 'user_key'
          and coalesce(json_array_length(rules_json, '$[0].bucketing.gates'), 0) = 0
          and rules_json ->> '$[0].bucketing.ranges[0].from' = 0
          and rules_json ->> '$[0].bucketing.ranges[0].to' = 10000 then 'on' else 'share' end
      when instr(rules_json -> '$[0].percentage_rollout', '"percentage":100') > 0 then 'on'
      else 'share' end) virtual`,
  'create index flag_environments_by_kind on flag_environments (flag_id, serving_kind, environment_id)',
  'drop index flag_environments_by_state',
];
