import { lazy, Suspense, useRef, useState } from 'react';
import { toProblem } from '../api/problem.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useSearchState } from '../app/navigation/use-search-state.ts';
import { useTypedText } from '../app/navigation/use-typed-text.ts';
import { useActions } from '../app/palette/actions.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useShortcut } from '../app/shortcuts/use-shortcut.ts';
import { formatNumber } from '../i18n/format-number.ts';
import { Button } from '../ui/button.tsx';
import { LinkTabs } from '../ui/choice.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Stack } from '../ui/layout.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Card, EmptyState, PageHeader, Skeleton } from '../ui/surface.tsx';
import { useFlagColumns } from './flag-columns.tsx';
import { FlagFilters } from './flag-filters.tsx';
import { FlagTable } from './flag-table.tsx';
import styles from './flags.module.css';
import { type FlagsSearch, isFiltered, parseFlagsSearch, VIEWS } from './flags-search.ts';
import { t } from './messages.ts';
import { isShown, useSavedViews } from './saved-views.ts';
import { useFlagList } from './use-flag-list.ts';
import { useLoadAll } from './use-load-all.ts';
import { FIRST_RANGE } from './use-row-window.ts';
import { useSelection } from './use-selection.ts';
import { useViewCounts } from './use-view-counts.ts';

const NewFlagDialog = lazy(async () => ({
  default: (await import('./new-flag-dialog.tsx')).NewFlagDialog,
}));

const ViewOptions = lazy(async () => ({
  default: (await import('./views/view-options.tsx')).ViewOptions,
}));
const BulkBar = lazy(async () => ({ default: (await import('./bulk/bulk-bar.tsx')).BulkBar }));

/** The server counts no further. */
const COUNT_MAX = 10_000;
const NO_FILTERS = {
  q: undefined,
  tag: undefined,
  status: undefined,
  type: undefined,
  kind: undefined,
  state: undefined,
  owner: undefined,
} as const;

/** One row a flag, with its state in every environment. */
export function FlagsPage() {
  usePage(t.title);
  const { role } = useScope();
  const [search, setSearch] = useSearchState(parseFlagsSearch);
  const make = () => setSearch({ new: 'flag' });
  const canMake = role !== 'viewer';
  useActions(canMake ? [{ id: 'flag.new', label: t.newFlag, run: make }] : []);
  useShortcut({ keys: 'c', label: t.newFlag, run: () => canMake && make() });
  return (
    <>
      <PageHeader
        title={t.title}
        actions={
          <Button kind="main" icon="plus" onPress={make} whyNot={canMake ? undefined : t.viewersCannot}>
            {t.newFlag}
          </Button>
        }
      />
      <Stack gap="close">
        <Views search={search} />
        <List search={search} onSearch={setSearch} />
      </Stack>
      {search.new === 'flag' && canMake && (
        <Suspense>
          <NewFlagDialog onClose={() => setSearch({ new: undefined })} />
        </Suspense>
      )}
    </>
  );
}

type SetSearch = (part: Partial<FlagsSearch>, how?: { readonly replace: boolean }) => void;

/** The tools, and the flags that fit them. */
function List({ search, onSearch }: { readonly search: FlagsSearch; readonly onSearch: SetSearch }) {
  const { project, role } = useScope();
  const [range, setRange] = useState(FIRST_RANGE);
  const list = useFlagList(search, range);
  const selection = useSelection(useLoadAll(search));
  const columns = useFlagColumns();
  const { total } = list;
  const [up, down] = t.sorted[search.sort];
  return (
    <div>
      <search className={styles.tools}>
        <Search search={search} onSearch={onSearch} />
        <div className={styles.filters}>
          <FlagFilters search={search} onChange={onSearch} />
          <Suspense>
            <ViewOptions search={search} />
          </Suspense>
        </div>
        <span className={styles.end} role="status">
          {total !== undefined && `${t.count(total, COUNT_MAX)}, ${search.order === 'asc' ? up : down}`}
        </span>
      </search>
      {list.error !== null && !list.rowAt(range.first) ? (
        <ErrorState problem={toProblem(list.error)} onRetry={list.retry} />
      ) : total === undefined ? (
        <Card isFlush>
          <Skeleton lines={6} label={t.loading} />
        </Card>
      ) : total === 0 ? (
        <Card isFlush>
          <Nothing
            search={search}
            onMake={() => onSearch({ new: 'flag' })}
            onClear={() => onSearch(NO_FILTERS)}
          />
        </Card>
      ) : (
        <FlagTable
          label={t.table(project.name)}
          columns={columns}
          list={{ ...list, total }}
          range={range}
          onRange={setRange}
          sort={{ column: search.sort, isDown: search.order === 'desc' }}
          onSort={({ column, isDown }) =>
            onSearch({ sort: column as FlagsSearch['sort'], order: isDown ? 'desc' : 'asc' })
          }
          selection={role === 'viewer' ? undefined : selection}
        />
      )}
      {selection.flags.size > 0 && (
        <Suspense>
          <BulkBar selection={selection} />
        </Suspense>
      )}
    </div>
  );
}

/** Apart from the list, which does not render again for each key. */
function Search({ search, onSearch }: { readonly search: FlagsSearch; readonly onSearch: SetSearch }) {
  const input = useRef<HTMLInputElement>(null);
  const typed = useTypedText(search.q ?? '', (q) => onSearch({ q }, { replace: true }));
  useShortcut({ keys: '/', label: t.search, run: () => input.current?.focus() });
  return (
    <div className={styles.search}>
      <SearchField label={t.search} placeholder={t.search} shortcut="/" inputRef={input} {...typed} />
    </div>
  );
}

function Views({ search }: { readonly search: FlagsSearch }) {
  const { hrefTo, environment } = useScope();
  const counts = useViewCounts();
  const { views } = useSavedViews();
  const shown = views.find((view) => isShown(view, search));
  const own = views.map(({ name, params }) => ({
    id: `saved ${name}`,
    label: name,
    href: hrefTo('flags', { ...params, environment: environment?.key }),
  }));
  const tabs = VIEWS.map((id) => ({
    id,
    label: t.view[id],
    href: hrefTo('flags', { ...(id !== 'all' && { view: id }), environment: environment?.key }),
    count: counts && formatNumber(counts[id]),
  }));
  return (
    <LinkTabs
      label={t.views}
      tabs={[...tabs, ...own]}
      current={shown ? `saved ${shown.name}` : search.view}
    />
  );
}

function Nothing(props: {
  readonly search: FlagsSearch;
  readonly onMake: () => void;
  readonly onClear: () => void;
}) {
  const { search, onMake, onClear } = props;
  const { role } = useScope();
  if (search.view === 'all' && !isFiltered(search))
    return (
      <EmptyState
        icon="flag"
        title={t.emptyTitle}
        actions={
          role !== 'viewer' && (
            <Button kind="main" icon="plus" onPress={onMake}>
              {t.newFlag}
            </Button>
          )
        }
      >
        {t.empty}
      </EmptyState>
    );
  return (
    <EmptyState icon="search" title={t.nothingTitle} actions={<Button onPress={onClear}>{t.clear}</Button>}>
      {t.nothing}
    </EmptyState>
  );
}
