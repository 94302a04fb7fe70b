import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { toProblem } from '../api/problem.ts';
import type { Environment } from '../api/types.ts';
import { useDraft } from '../app/drafts/use-draft.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useSearchState } from '../app/navigation/use-search-state.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { CopyButton } from '../ui/copy.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Stack } from '../ui/layout.tsx';
import { EmptyState, PageHeader, Skeleton } from '../ui/surface.tsx';
import { AllFlagsCard } from './all-flags-card.tsx';
import { Answers } from './answers.tsx';
import { ContextCard } from './context-card.tsx';
import { contextFragment, readFragment } from './context-link.ts';
import { askedAttributes, useEvaluators } from './evaluators.ts';
import { t } from './messages.ts';
import { NO_CONTEXT, readContext, type TypedContext } from './typed-context.ts';
import { useFlagNames, useRuleset, useSavedFlag } from './use-why.ts';
import styles from './why.module.css';
import { parseWhySearch } from './why-search.ts';

/** Explains what a user gets, by the evaluator of the SDKs, in this page. */
export function WhyPage() {
  usePage(t.page);
  const { environments, environment: only } = useScope();
  const environment =
    only ?? environments.findLast(({ type }) => type === 'production') ?? environments.at(-1);
  if (environment === undefined)
    return (
      <EmptyState icon="question" title={t.noEnvironment}>
        {t.noEnvironmentText}
      </EmptyState>
    );
  return <Why environment={environment} />;
}

function Why({ environment }: { readonly environment: Environment }) {
  const { hrefTo } = useScope();
  const [search, setSearch] = useSearchState(parseWhySearch);
  const [typed, setTyped] = useTypedContext();
  const ruleset = useRuleset(environment.id);
  const saved = useSavedFlag(search.flag, environment.id);
  const nameOf = useFlagNames();
  const { context, faults } = useMemo(() => readContext(typed), [typed]);
  const evaluators = useEvaluators(ruleset.data, saved.data ?? undefined, environment);
  const keys = useMemo(() => ruleset.data?.flags.map(({ key }) => key) ?? [], [ruleset.data]);
  const fragment = context && contextFragment(context);
  const link = hrefTo('why', { flag: search.flag, environment: environment.key });
  const problem = ruleset.error ?? saved.error;
  return (
    <>
      <PageHeader
        title={t.title}
        intro={t.intro}
        actions={
          fragment !== undefined && (
            <CopyButton text={location.origin + link + fragment}>{t.copyLink}</CopyButton>
          )
        }
      />
      <div className={styles.page}>
        <ContextCard
          typed={typed}
          faults={faults}
          onChange={setTyped}
          environment={environment}
          flagKey={search.flag}
          flagKeys={keys}
          nameOf={nameOf}
          asked={evaluators ? askedAttributes(evaluators) : []}
          onFlag={(flag) => setSearch({ flag })}
        />
        <Stack gap="far">
          {problem ? (
            <ErrorState
              problem={toProblem(problem)}
              kept={t.kept}
              onRetry={() => void (ruleset.error ? ruleset : saved).refetch()}
            />
          ) : evaluators === undefined || (search.flag !== undefined && saved.data === undefined) ? (
            <Skeleton lines={9} label={t.loading} />
          ) : context === undefined ? (
            <EmptyState icon="question" title={t.unreadable}>
              {t.unreadableText}
            </EmptyState>
          ) : (
            <Results
              flagKey={search.flag}
              flag={saved.data ?? undefined}
              environment={environment}
              context={context}
              evaluators={evaluators}
              nameOf={nameOf}
            />
          )}
        </Stack>
      </div>
    </>
  );
}

/** The answer of the chosen flag, and what every flag serves. */
function Results(props: Parameters<typeof Answers>[0]) {
  const { flagKey: _, flag: __, ...shared } = props;
  return (
    <>
      <Answers {...props} />
      <AllFlagsCard {...shared} />
    </>
  );
}

/** The context of this tab. One that came with a link replaces it, and leaves the address. */
function useTypedContext(): readonly [TypedContext, (typed: TypedContext) => void] {
  const { project } = useScope();
  const { hash } = useLocation();
  const navigate = useNavigate();
  const { value = NO_CONTEXT, set } = useDraft<TypedContext>(`why:${project.id}`);
  const sent = useMemo(() => readFragment(hash), [hash]);
  useEffect(() => {
    if (sent === undefined) return;
    set(sent);
    void navigate({ to: '.', search: (before: object) => before, hash: '', replace: true } as never);
  }, [sent, set, navigate]);
  return [sent ?? value, set];
}
