import { Select } from '../ui/select.tsx';
import { type FlagsSearch, KINDS, STATES, STATUSES, TYPES } from './flags-search.ts';
import { t } from './messages.ts';
import { useTags } from './use-flags.ts';

const ANY = 'any';

/** Filters beside the search; each is part of the address. */
export function FlagFilters(props: {
  readonly search: FlagsSearch;
  readonly onChange: (part: Partial<FlagsSearch>) => void;
}) {
  const { search, onChange } = props;
  const tags = useTags() ?? [];
  return (
    <>
      <Filter
        label={t.filterStatus}
        any={t.anyStatus}
        options={STATUSES.map((id) => [id, t.status[id]])}
        value={search.status}
        onChange={(status) => onChange({ status })}
      />
      <Filter
        label={t.filterState}
        any={t.anyState}
        options={STATES.map((id) => [id, t.stateIs[id]])}
        value={search.state}
        onChange={(state) => onChange({ state })}
      />
      <Filter
        label={t.filterKind}
        any={t.anyKind}
        options={KINDS.map((id) => [id, t.kind[id]])}
        value={search.kind}
        onChange={(kind) => onChange({ kind })}
      />
      <Filter
        label={t.filterType}
        any={t.anyType}
        options={TYPES.map((id) => [id, t.type[id]])}
        value={search.type}
        onChange={(type) => onChange({ type })}
      />
      <Filter
        label={t.filterTag}
        any={t.anyTag}
        options={tags.map(({ tag }) => [tag, tag])}
        value={search.tag}
        onChange={(tag) => onChange({ tag })}
      />
    </>
  );
}

function Filter<Id extends string>(props: {
  readonly label: string;
  /** The choice that filters nothing. */
  readonly any: string;
  readonly options: readonly (readonly [id: Id, label: string])[];
  readonly value: Id | undefined;
  readonly onChange: (value: Id | undefined) => void;
}) {
  const { label, any, options, value, onChange } = props;
  return (
    <Select<Id | typeof ANY>
      label={label}
      isLabelHidden
      value={value ?? ANY}
      onChange={(next) => onChange(next === ANY ? undefined : next)}
      options={[{ id: ANY, label: any }, ...options.map(([id, text]) => ({ id, label: text }))]}
    />
  );
}
