import { lazy, Suspense } from 'react';
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
import { DataList } from '../ui/data-list.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Stack } from '../ui/layout.tsx';
import { EmptyState, PageHeader } from '../ui/surface.tsx';
import { useFlagColumns } from './flag-columns.tsx';
import { FlagFilters } from './flag-filters.tsx';
import { type FlagsSearch, isFiltered, parseFlagsSearch, VIEWS } from './flags-search.ts';
import { t } from './messages.ts';
import { useFlags } from './use-flags.ts';
import { useViewCounts } from './use-view-counts.ts';

const NewFlagDialog = lazy(async () => ({
  default: (await import('./new-flag-dialog.tsx')).NewFlagDialog,
}));

/** The server counts no further. */
const COUNT_MAX = 10_000;
const NO_FILTERS = {
  q: undefined,
  tag: undefined,
  status: undefined,
  type: undefined,
  kind: undefined,
  state: undefined,
} as const;

/** One row a flag, with its state in every environment. */
export function FlagsPage() {
  usePage(t.title);
  const { project, role } = useScope();
  const [search, setSearch] = useSearchState(parseFlagsSearch);
  const flags = useFlags(search);
  const columns = useFlagColumns();
  const rows = flags.data?.pages.flatMap(({ data }) => data);
  const total = flags.data?.pages[0]?.meta.total;
  const typed = useTypedText(search.q ?? '', (q) => setSearch({ q }, { replace: true }));
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
      <Stack>
        <Views search={search} />
        <DataList
          label={t.table(project.name)}
          columns={columns}
          rows={rows}
          rowId={({ id }) => id}
          search={{ ...typed, placeholder: t.search }}
          filters={<FlagFilters search={search} onChange={setSearch} />}
          {...(total !== undefined && { count: t.count(total, COUNT_MAX) })}
          sort={{
            value: { column: search.sort, isDown: search.order === 'desc' },
            onChange: ({ column, isDown }) =>
              setSearch({ sort: column as FlagsSearch['sort'], order: isDown ? 'desc' : 'asc' }),
          }}
          empty={<Nothing search={search} onMake={make} onClear={() => setSearch(NO_FILTERS)} />}
          error={
            flags.error ? (
              <ErrorState problem={toProblem(flags.error)} onRetry={() => void flags.refetch()} />
            ) : undefined
          }
          more={
            flags.hasNextPage
              ? { load: () => void flags.fetchNextPage(), isLoading: flags.isFetchingNextPage }
              : undefined
          }
        />
      </Stack>
      {search.new === 'flag' && canMake && (
        <Suspense>
          <NewFlagDialog onClose={() => setSearch({ new: undefined })} />
        </Suspense>
      )}
    </>
  );
}

function Views({ search }: { readonly search: FlagsSearch }) {
  const { hrefTo, environment } = useScope();
  const counts = useViewCounts();
  const tabs = VIEWS.map((id) => ({
    id,
    label: t.view[id],
    href: hrefTo('flags', { ...(id !== 'all' && { view: id }), environment: environment?.key }),
    count: counts && formatNumber(counts[id]),
  }));
  return <LinkTabs label={t.views} tabs={tabs} current={search.view} />;
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
