import { useMembers } from '../app/scope/use-member-names.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { type FlagsSearch, KINDS, STATES, STATUSES, TYPES } from './flags-search.ts';
import { t } from './messages.ts';
import { useTags } from './use-flag-list.ts';

const ANY = 'any';

/** Filters beside the search; each is part of the address. */
export function FlagFilters(props: {
  readonly search: FlagsSearch;
  readonly onChange: (part: Partial<FlagsSearch>) => void;
}) {
  const { search, onChange } = props;
  const tags = useTags() ?? [];
  const { me } = useScope();
  const people = useMembers();
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
      <Filter
        label={t.filterOwner}
        any={t.anyOwner}
        options={[
          ['me', t.me],
          ...people.filter(({ id }) => id !== me.id).map(({ id, name }) => [id, name] as const),
        ]}
        value={search.owner}
        onChange={(owner) => onChange({ owner })}
      />
    </>
  );
}

/** A button that names the filter and what was chosen, with the choices behind it. */
function Filter<Id extends string>(props: {
  readonly label: string;
  /** The choice that filters nothing. */
  readonly any: string;
  readonly options: readonly (readonly [id: Id, label: string])[];
  readonly value: Id | undefined;
  readonly onChange: (value: Id | undefined) => void;
}) {
  const { label, any, options, value, onChange } = props;
  const chosen = options.find(([id]) => id === value)?.[1] ?? value;
  const entries = [
    { id: ANY, label: any, isCurrent: value === undefined, run: () => onChange(undefined) },
    ...options.map(([id, text]) => ({ id, label: text, isCurrent: id === value, run: () => onChange(id) })),
  ];
  return (
    <Menu label={label} groups={[{ entries }]}>
      <Button isSmall>
        {chosen === undefined ? label : t.filterIs(label, chosen)}
        <Icon name="down" isSmall />
      </Button>
    </Menu>
  );
}
