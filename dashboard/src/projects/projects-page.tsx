import { lazy, Suspense } from 'react';
import { toProblem } from '../api/problem.ts';
import type { Project } from '../api/types.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useSearchState } from '../app/navigation/use-search-state.ts';
import { useTypedText } from '../app/navigation/use-typed-text.ts';
import { useActions } from '../app/palette/actions.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Button } from '../ui/button.tsx';
import { DataList } from '../ui/data-list.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Note } from '../ui/layout.tsx';
import { Select } from '../ui/select.tsx';
import { EmptyState, PageHeader } from '../ui/surface.tsx';
import { t } from './messages.ts';
import { useProjectColumns } from './project-list.tsx';
import { type ProjectsSearch, parseProjectsSearch } from './projects-search.ts';
import { useArchivedProjects } from './use-archived-projects.ts';

const ProjectDialogs = lazy(async () => ({
  default: (await import('./project-dialogs.tsx')).ProjectDialogs,
}));

/** The projects of the organization, in use and archived. */
export function ProjectsPage() {
  const { organization, role, hrefTo } = useScope();
  usePage(t.list.title, [{ label: t.settings, href: hrefTo('settings') }]);
  const [search, setSearch] = useSearchState(parseProjectsSearch);
  const archived = useArchivedProjects(search.show === 'archived' || search.do === 'restore');
  const canMake = role !== 'viewer';
  const openNew = () => setSearch({ do: 'new', about: undefined });
  useActions(canMake ? [{ id: 'project.new', label: t.list.new, run: openNew }] : []);
  return (
    <>
      <PageHeader
        title={t.list.title}
        intro={t.list.intro(organization.name)}
        {...(role !== 'admin' && {
          meta: <Note tone="faint">{canMake ? t.list.editor : t.list.viewer}</Note>,
        })}
        actions={
          <Button kind="main" icon="plus" onPress={openNew} whyNot={canMake ? undefined : t.list.onlyEditors}>
            {t.list.new}
          </Button>
        }
      />
      <ProjectList search={search} onSearch={setSearch} archived={archived} />
      {search.do !== undefined && (
        <Suspense>
          <ProjectDialogs
            search={search}
            archived={archived.data}
            onArchived={() => setSearch({ do: undefined, about: undefined, show: 'archived' })}
            onClose={() => setSearch({ do: undefined, about: undefined })}
          />
        </Suspense>
      )}
    </>
  );
}

function ProjectList(props: {
  readonly search: ProjectsSearch;
  readonly onSearch: (part: Partial<ProjectsSearch>, how?: { readonly replace?: boolean }) => void;
  readonly archived: ReturnType<typeof useArchivedProjects>;
}) {
  const { search, onSearch, archived } = props;
  const { projects } = useScope();
  const isArchived = search.show === 'archived';
  const text = useTypedText(search.q ?? '', (q) => onSearch({ q }, { replace: true }));
  const columns = useProjectColumns({
    isArchived,
    onDo: (what, key) => onSearch({ do: what, about: key }),
  });
  const all: readonly Project[] | undefined = isArchived ? archived.data : projects;
  const rows = all?.filter((project) => isFound(project, search.q ?? ''));
  const isSearched = (search.q ?? '') !== '';
  return (
    <DataList
      label={t.list.title}
      columns={columns}
      rows={rows}
      rowId={({ id }) => id}
      search={{ ...text, placeholder: t.list.search }}
      filters={
        <Select
          label={t.list.show}
          isLabelHidden
          value={search.show ?? 'in-use'}
          onChange={(show) => onSearch({ show: show === 'archived' ? 'archived' : undefined })}
          options={[
            { id: 'in-use', label: t.list.inUse },
            { id: 'archived', label: t.list.archived },
          ]}
        />
      }
      {...(rows && { count: t.list.count(rows.length) })}
      error={
        isArchived && archived.error && !archived.data ? (
          <ErrorState problem={toProblem(archived.error)} onRetry={() => void archived.refetch()} />
        ) : undefined
      }
      empty={
        <EmptyState icon="flag" title={isSearched ? t.list.nothingFits : t.list.noneArchived}>
          {isSearched ? t.list.nothingFitsText : t.list.noneArchivedText}
        </EmptyState>
      }
    />
  );
}

function isFound({ name, key, description }: Project, q: string): boolean {
  return `${name}\n${key}\n${description}`.toLocaleLowerCase().includes(q.trim().toLocaleLowerCase());
}
