import { lazy, Suspense } from 'react';
import { toProblem } from '../api/problem.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useSearchState } from '../app/navigation/use-search-state.ts';
import { useTypedText } from '../app/navigation/use-typed-text.ts';
import { useActions } from '../app/palette/actions.ts';
import { useRights } from '../app/scope/use-rights.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Button } from '../ui/button.tsx';
import { SegmentedControl } from '../ui/choice.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Note } from '../ui/layout.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Select } from '../ui/select.tsx';
import { EmptyState, PageHeader, Skeleton } from '../ui/surface.tsx';
import { ArchivedList } from './archived-list.tsx';
import { EnvironmentList } from './environment-list.tsx';
import { type EnvironmentSearch, parseEnvironmentSearch } from './environment-search.ts';
import styles from './environments.module.css';
import { t } from './messages.ts';
import { useArchived } from './use-environments.ts';

const EnvironmentDialogs = lazy(async () => ({
  default: (await import('./environment-dialogs.tsx')).EnvironmentDialogs,
}));

/** With more environments than this they are arranged by type, unless the address says otherwise. */
const BY_TYPE_FROM = 12;

/** The environments of the project in their order. */
export function EnvironmentsPage() {
  const { project, environments, role, hrefTo } = useScope();
  usePage(t.title, [{ label: t.settings, href: hrefTo('settings') }]);
  const [search, setSearch] = useSearchState(parseEnvironmentSearch);
  const archived = useArchived(search.show === 'archived' || search.about !== undefined);
  const whyNot = useWhyNotNew();
  const openNew = () => setSearch({ do: 'new', about: undefined });
  useActions(whyNot === undefined ? [{ id: 'environment.new', label: t.new, run: openNew }] : []);
  return (
    <>
      <PageHeader
        title={t.title}
        intro={t.intro(project.name)}
        {...(role !== 'admin' && {
          meta: <Note tone="faint">{role === 'viewer' ? t.viewer : (whyNot ?? t.editor)}</Note>,
        })}
        actions={
          <Button kind="main" icon="plus" onPress={openNew} whyNot={whyNot}>
            {t.new}
          </Button>
        }
      />
      <Tools search={search} onSearch={setSearch} />
      {search.show === 'archived' ? (
        archived.error ? (
          <ErrorState problem={toProblem(archived.error)} onRetry={() => void archived.refetch()} />
        ) : archived.data === undefined ? (
          <Skeleton lines={4} label={t.archived} />
        ) : (
          <ArchivedList
            environments={archived.data}
            q={search.q ?? ''}
            onDo={(what, key) => setSearch({ do: what, about: key })}
          />
        )
      ) : environments.length === 0 ? (
        <EmptyState icon="list" title={t.none} actions={<Button onPress={openNew}>{t.new}</Button>}>
          {t.noneText}
        </EmptyState>
      ) : (
        <EnvironmentList
          q={search.q ?? ''}
          isByType={isByType(search, environments.length)}
          onDo={(what, key) => setSearch({ do: what, about: key })}
        />
      )}
      {search.do !== undefined && (
        <Suspense>
          <EnvironmentDialogs
            search={search}
            archived={archived.data}
            whyNotNew={whyNot}
            onClose={() => setSearch({ do: undefined, about: undefined })}
          />
        </Suspense>
      )}
    </>
  );
}

/** Why the person cannot make an environment; undefined when they can. */
function useWhyNotNew(): string | undefined {
  const { environments } = useScope();
  const rights = useRights();
  if (!rights.canEdit) return t.viewer;
  const closed = environments.find((environment) => rights.whyNot(environment) !== undefined);
  return closed && t.onlyUnrestricted(closed.name);
}

function isByType({ by }: EnvironmentSearch, count: number): boolean {
  return by === undefined ? count > BY_TYPE_FROM : by === 'type';
}

function Tools(props: {
  readonly search: EnvironmentSearch;
  readonly onSearch: (part: Partial<EnvironmentSearch>, how?: { readonly replace?: boolean }) => void;
}) {
  const { search, onSearch } = props;
  const { environments } = useScope();
  const text = useTypedText(search.q ?? '', (q) => onSearch({ q }, { replace: true }));
  return (
    <search className={styles.tools}>
      <div className={styles.search}>
        <SearchField label={t.search} placeholder={t.search} {...text} />
      </div>
      <Select
        label={t.show}
        isLabelHidden
        value={search.show ?? 'in-use'}
        onChange={(show) => onSearch({ show: show === 'archived' ? 'archived' : undefined })}
        options={[
          { id: 'in-use', label: t.inUse },
          { id: 'archived', label: t.archived },
        ]}
      />
      {search.show === undefined && (
        <SegmentedControl
          label={t.arrangement}
          value={isByType(search, environments.length) ? 'type' : 'order'}
          onChange={(by) => onSearch({ by })}
          choices={[
            { id: 'order', label: t.byOrder },
            { id: 'type', label: t.byType },
          ]}
        />
      )}
      {search.show === undefined && (
        <span className={styles.count} role="status">
          {t.count(environments.length)}
        </span>
      )}
    </search>
  );
}
