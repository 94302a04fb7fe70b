import { isMissing, toProblem } from '../api/problem.ts';
import type { Flag } from '../api/types.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { ButtonLink } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Stack } from '../ui/layout.tsx';
import { EmptyState, PageHeader, Skeleton } from '../ui/surface.tsx';
import { EnvironmentCards } from './environment-cards.tsx';
import { FlagHeader } from './flag-header.tsx';
import { t } from './messages.ts';
import { ShownPlace } from './shown-place.tsx';
import { useFlag, usePlaces } from './use-flag.ts';

/** One flag: what users get in each environment, and the rules that decide it. */
export function FlagPage() {
  const { hrefTo } = useScope();
  const { key, query } = useFlag();
  const [first] = query.data ?? [];
  usePage(first?.name ?? key, [{ label: t.flags, href: hrefTo('flags') }]);
  if (query.data !== undefined && first !== undefined) return <FlagContent flags={query.data} />;
  const problem = query.error === null ? undefined : toProblem(query.error);
  return (
    <>
      <PageHeader title={key} />
      {problem === undefined ? (
        <Skeleton lines={9} label={t.loading} />
      ) : isMissing(problem) ? (
        <EmptyState
          icon="flag"
          title={t.missing}
          actions={<ButtonLink href={hrefTo('flags')}>{t.allFlags}</ButtonLink>}
        >
          {t.missingText}
        </EmptyState>
      ) : (
        <ErrorState problem={problem} onRetry={() => void query.refetch()} />
      )}
    </>
  );
}

function FlagContent({ flags }: { readonly flags: readonly Flag[] }) {
  const { places, shown, show } = usePlaces(flags);
  if (shown === undefined) return <Skeleton lines={9} label={t.loading} />;
  return (
    <>
      <FlagHeader place={shown} />
      <Stack gap="far">
        <EnvironmentCards places={places} shown={shown} onShow={({ environment }) => show(environment)} />
        <ShownPlace key={shown.environment.id} place={shown} flags={flags} />
      </Stack>
    </>
  );
}
