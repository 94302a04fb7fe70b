import { toProblem } from '../api/problem.ts';
import type { AuditEntry } from '../api/types.ts';
import { actionWords, changeLines } from '../app/change-words/change-lines.ts';
import { t as changeText } from '../app/change-words/messages.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useSearchState } from '../app/navigation/use-search-state.ts';
import { useTypedText } from '../app/navigation/use-typed-text.ts';
import { useMemberNames } from '../app/scope/use-member-names.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Badge, EnvironmentBadge, Person } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { DataList, type ListColumn } from '../ui/data-list.tsx';
import { Diff, type DiffLine } from '../ui/diff.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { Link } from '../ui/link.tsx';
import { Select } from '../ui/select.tsx';
import { EmptyState, PageHeader } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { AuditDetails } from './audit-details.tsx';
import { type AuditSearch, OF_ORGANIZATION, parseAuditSearch, RESOURCE_TYPES } from './audit-search.ts';
import { actorName, isProgram } from './audit-words.ts';
import { downloadEntries } from './download-entries.ts';
import { t } from './messages.ts';
import { useAuditLog } from './use-audit-log.ts';

const ANY = 'any';
const LINES_SHOWN = 4;

/** All changes of the project, newest first. */
export function AuditPage() {
  usePage(t.title);
  const { project, role } = useScope();
  const [search, setSearch] = useSearchState(parseAuditSearch);
  const log = useAuditLog(search);
  const rows = log.data?.pages.flatMap(({ data }) => data);
  const total = log.data?.pages[0]?.meta.total;
  const columns = useColumns(search);
  const typed = useTypedText(search.q ?? '', (q) => setSearch({ q }, { replace: true }));
  return (
    <>
      <PageHeader
        title={t.title}
        intro={t.intro}
        actions={
          <Button
            icon="download"
            isDisabled={!rows?.length}
            onPress={() => downloadEntries(t.exportName(project.key), rows!)}
          >
            {t.export}
          </Button>
        }
      />
      <DataList
        label={t.title}
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        search={{ ...typed, placeholder: t.search }}
        filters={
          <Select
            label={t.resource}
            isLabelHidden
            value={search.of ?? ANY}
            onChange={(of) => setSearch({ of: of === ANY ? undefined : of })}
            options={[
              { id: ANY, label: t.anyResource },
              ...RESOURCE_TYPES.filter((id) => role === 'admin' || !OF_ORGANIZATION.has(id)).map((id) => ({
                id,
                label: changeText.nouns[id] ?? id,
                ...(OF_ORGANIZATION.has(id) && { note: t.allProjects }),
              })),
            ]}
          />
        }
        count={total === undefined ? undefined : t.count(total)}
        empty={<Nothing search={search} onClear={() => setSearch({ q: undefined, of: undefined })} />}
        error={
          log.error ? (
            <ErrorState problem={toProblem(log.error)} onRetry={() => void log.refetch()} />
          ) : undefined
        }
        more={
          log.hasNextPage
            ? { load: () => void log.fetchNextPage(), isLoading: log.isFetchingNextPage }
            : undefined
        }
      />
      <AuditDetails id={search.entry} onClose={() => setSearch({ entry: undefined })} />
    </>
  );
}

function useColumns({ q, of }: AuditSearch): readonly ListColumn<AuditEntry>[] {
  const { environments, hrefTo } = useScope();
  const nameOf = useMemberNames();
  return [
    {
      id: 'what',
      label: t.columns.what,
      isMain: true,
      cell: (entry) => (
        <What
          entry={entry}
          lines={changeLines(entry, nameOf).slice(0, LINES_SHOWN)}
          href={hrefTo('changes', { q, of, entry: entry.id })}
        />
      ),
    },
    {
      id: 'who',
      label: t.columns.who,
      cell: (entry) => (
        <Person name={nameOf(entry.actor.id) ?? actorName(entry)} isProgram={isProgram(entry)} />
      ),
    },
    {
      id: 'where',
      label: t.columns.where,
      cell: ({ environment_id }) => {
        const environment = environments.find(({ id }) => id === environment_id);
        return environment && <EnvironmentBadge environment={environment} />;
      },
    },
    {
      id: 'when',
      label: t.columns.when,
      isNumber: true,
      cell: ({ timestamp }) => (
        <Note tone="faint" isNowrap>
          <Time at={timestamp} />
        </Note>
      ),
    },
  ];
}

function What(props: {
  readonly entry: AuditEntry;
  readonly lines: readonly DiffLine[];
  readonly href: string;
}) {
  const { entry, lines, href } = props;
  const { resource, comment, break_glass_id: glass } = entry;
  return (
    <Stack gap="close">
      <span>
        <Link href={href} isPlain>
          {actionWords(entry)}
        </Link>{' '}
        <code>{resource.key}</code>{' '}
        {glass !== null && (
          <Badge tone="bad" icon="break-glass">
            {t.brokeGlass}
          </Badge>
        )}
      </span>
      <Diff isPlain lines={lines} />
      {comment !== null && <Note tone="muted">“{comment}”</Note>}
    </Stack>
  );
}

function Nothing({
  search: { q, of },
  onClear,
}: {
  readonly search: AuditSearch;
  readonly onClear: () => void;
}) {
  if (q === undefined && of === undefined)
    return (
      <EmptyState icon="list" title={t.emptyTitle}>
        {t.empty}
      </EmptyState>
    );
  return (
    <EmptyState icon="search" title={t.nothingTitle} actions={<Button onPress={onClear}>{t.clear}</Button>}>
      {t.nothing}
    </EmptyState>
  );
}
