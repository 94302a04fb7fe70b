import { toProblem } from '../api/problem.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useSearchState } from '../app/navigation/use-search-state.ts';
import { useActions } from '../app/palette/actions.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Button } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Columns, Line, Stack } from '../ui/layout.tsx';
import { EmptyState, PageHeader, Skeleton } from '../ui/surface.tsx';
import { BreakGlassDialog } from './break-glass-dialog.tsx';
import { CalendarCard } from './calendar-card.tsx';
import { firstMonday, parseFreezeSearch } from './freeze-search.ts';
import { t } from './messages.ts';
import { SessionsCard } from './sessions-card.tsx';
import { useWindows } from './use-freezes.ts';
import { ActiveWindowCard, PlannedCard } from './window-cards.tsx';
import { WindowDialog } from './window-dialog.tsx';

/** The calendar of windows, what is frozen now, and who went around it. */
export function FreezesPage() {
  usePage(t.title);
  const { me } = useScope();
  const [search, setSearch] = useSearchState(parseFreezeSearch);
  const windows = useWindows();
  const isAdmin = me.role === 'admin';
  const active = windows.data?.filter(({ status }) => status === 'active') ?? [];
  const openWindow = (window: string | undefined) => setSearch({ window });
  const openGlass = (glass: string | undefined) => setSearch({ 'break-glass': glass });
  useActions(
    isAdmin
      ? [
          { id: 'freeze.new', label: t.newWindow, run: () => openWindow('new') },
          { id: 'freeze.break-glass', label: t.breakGlass, run: () => openGlass('new') },
        ]
      : [],
  );
  return (
    <>
      <Head
        isFrozen={active.length > 0}
        isAdmin={isAdmin}
        onGlass={() => openGlass('new')}
        onNew={() => openWindow('new')}
      />
      {windows.error ? (
        <ErrorState problem={toProblem(windows.error)} onRetry={() => void windows.refetch()} />
      ) : (
        <Columns>
          <CalendarCard
            monday={firstMonday(search)}
            onMove={(monday) => setSearch({ from: monday?.toString() }, { replace: true })}
          />
          <Stack>
            {windows.data === undefined && <Skeleton lines={4} />}
            {windows.data?.length === 0 && (
              <EmptyState icon="snow" title={t.noWindows}>
                {t.noWindowsText}
              </EmptyState>
            )}
            {active.map((window) => (
              <ActiveWindowCard key={window.id} window={window} onOpen={openWindow} />
            ))}
            <PlannedCard
              windows={windows.data?.filter(({ status }) => status === 'scheduled') ?? []}
              onOpen={openWindow}
            />
            {isAdmin && <SessionsCard />}
          </Stack>
        </Columns>
      )}
      {search.window !== undefined && (
        <WindowDialog id={search.window} onClose={() => openWindow(undefined)} />
      )}
      {isAdmin && search['break-glass'] !== undefined && (
        <BreakGlassDialog
          active={active}
          isForProject={search['break-glass'] === 'project'}
          onClose={() => openGlass(undefined)}
        />
      )}
    </>
  );
}

function Head(props: {
  readonly isFrozen: boolean;
  readonly isAdmin: boolean;
  readonly onGlass: () => void;
  readonly onNew: () => void;
}) {
  const { isFrozen, isAdmin, onGlass, onNew } = props;
  return (
    <PageHeader
      title={t.title}
      intro={t.intro}
      actions={
        <Line>
          <Button
            icon="break-glass"
            onPress={onGlass}
            whyNot={isAdmin ? (isFrozen ? undefined : t.notFrozen) : t.onlyAdmins}
          >
            {t.breakGlass}
          </Button>
          <Button kind="main" icon="plus" onPress={onNew} whyNot={isAdmin ? undefined : t.onlyAdmins}>
            {t.newWindow}
          </Button>
        </Line>
      }
    />
  );
}
