import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { ApiProblem, toProblem } from '../api/problem.ts';
import { addIcons } from '../ui/icon.tsx';
import { MORE_PATHS } from '../ui/more-icon-paths.ts';
import { Skeleton } from '../ui/surface.tsx';
import { ErrorPage } from './errors/error-page.tsx';
import { createLive, waitUnlessAborted } from './live/live.ts';
import { LiveProvider } from './live/use-live.ts';
import { t } from './messages.ts';
import { type Place, readPlace, storePlace } from './scope/place.ts';
import {
  projectHref,
  type Scope,
  ScopeContext,
  useActiveFreezes,
  useEnvironments,
  useMe,
  useProjects,
} from './scope/use-scope.ts';
import { useServices, useSessionState } from './services.ts';
import { Shell } from './shell/shell.tsx';

addIcons(MORE_PATHS);

const loadNoProject = () => import('./no-project.tsx');
const NoProject = lazy(async () => ({ default: (await loadNoProject()).NoProject }));
const PageWithoutProject = lazy(async () => ({ default: (await loadNoProject()).PageWithoutProject }));
const loadSignInAgain = () => import('./session/sign-in-again.tsx');
const SignInAgain = lazy(async () => ({ default: (await loadSignInAgain()).SignInAgain }));

/** The shell around the pages of a project, or of none, once it is known who works where. */
export function ProjectFrame() {
  const state = useSessionState();
  const live = useNewLive();
  const navigate = useNavigate();
  const { href, hash } = useLocation();
  useEffect(() => {
    // While the sign-in page loads, this page is still on the screen, under the new address.
    const isLeaving = !/^\/(o|settings)(\/|$)/.test(href);
    if (state === 'out' && !isLeaving)
      // A fragment can hold personal data, which stays out of the part of the address that servers get.
      void navigate({
        href: `/signin?next=${encodeURIComponent(href.split('#')[0]!)}${hash && `#${hash}`}`,
        replace: true,
      });
  }, [state, href, hash, navigate]);
  const { scope, error, isMissing, me } = useScopeOfAddress(state === 'in');
  useEffect(() => {
    // Loaded before it is needed: a newer version of the dashboard may have replaced its file by then.
    if (state === 'in') void loadSignInAgain().catch(() => undefined);
  }, [state]);
  useEnrolment(error);
  if (state === 'starting' || state === 'out') return null;
  if (state === 'unreachable') return <ErrorPage error={NO_ANSWER} />;
  const content =
    scope !== undefined ? (
      <ScopeContext.Provider value={scope}>
        <LiveProvider value={live}>
          <Shell>
            <Outlet />
          </Shell>
        </LiveProvider>
      </ScopeContext.Provider>
    ) : error !== null ? (
      <ErrorPage error={error} />
    ) : isMissing ? (
      <Suspense>
        <PageWithoutProject me={me} />
      </Suspense>
    ) : (
      <Skeleton label={t.loading} />
    );
  return (
    <>
      {content}
      {state === 'ended' && (
        <Suspense>
          <SignInAgain email={me?.email ?? undefined} />
        </Suspense>
      )}
    </>
  );
}

/** Leads to the second factor when the organization requires one: until then, no other page gets an answer. */
function useEnrolment(error: unknown): void {
  const navigate = useNavigate();
  const mustEnrol = error !== null && toProblem(error).code === 'MFA_ENROLLMENT_REQUIRED';
  useEffect(() => {
    if (mustEnrol) void navigate({ href: '/enrol', replace: true });
  }, [mustEnrol, navigate]);
}

function useNewLive() {
  const { session } = useServices();
  const queries = useQueryClient();
  const [live] = useState(() => createLive({ send: session.send, queries, wait: waitUnlessAborted }));
  return live;
}

function useScopeOfAddress(isSignedIn: boolean) {
  const params = useParams({ strict: false }) as {
    readonly organization?: string;
    readonly project?: string;
  };
  const { environment: wanted } = useSearch({ strict: false }) as { readonly environment?: unknown };
  // What is known stays while a session has ended, or the page below would be lost with what was typed.
  const me = useMe(isSignedIn);
  // An address without a project shows the project of before, or the first.
  const isNamed = params.organization !== undefined;
  const place: Partial<Place> = isNamed ? params : (readPlace() ?? {});
  const organizations = me.data?.organizations;
  const organization =
    organizations?.find(({ id }) => id === place.organization) ?? (isNamed ? undefined : organizations?.[0]);
  const projects = useProjects(organization?.id);
  // Mails name a project by its id.
  const project =
    projects.data?.find(({ key, id }) => key === place.project || id === place.project) ??
    (isNamed ? undefined : projects.data?.[0]);
  const environments = useEnvironments(project?.id);
  // The strip of a freeze stands above the page: known before the first page, it moves nothing when it comes.
  const freezes = useActiveFreezes(isSignedIn);
  const [isFrozenKnown, setFrozenKnown] = useState(false);
  if (!isFrozenKnown && (freezes.data !== undefined || freezes.failureCount > 0)) setFrozenKnown(true);
  const scope = useMemo((): Scope | undefined => {
    if (!me.data || !organization || !project || !projects.data || !environments.data || !isFrozenKnown)
      return undefined;
    return {
      me: me.data,
      organization,
      project,
      projects: projects.data,
      environments: environments.data,
      environment: environments.data.find(({ key }) => key === wanted),
      role: organization.role,
      hrefTo: (path, search) =>
        projectHref({ organization: organization.id, project: project.key }, path, search),
    };
  }, [me.data, organization, project, projects.data, environments.data, isFrozenKnown, wanted]);
  useEffect(() => {
    if (scope !== undefined) storePlace({ organization: scope.organization.id, project: scope.project.key });
  }, [scope]);
  return {
    scope,
    error: scope ? null : (me.error ?? projects.error ?? environments.error),
    isMissing: (me.data && !organization) || (projects.data && !project),
    me: me.data,
  };
}

/** What a page shows that opens while the server is away. It goes on by itself when the server answers. */
const NO_ANSWER = new ApiProblem({
  status: 0,
  code: 'UNREACHABLE',
  message: 'No answer to POST /auth/refresh',
});

/** The address without a page leads to the first project. */
export function HomePage() {
  const state = useSessionState();
  const navigate = useNavigate();
  const me = useMe(state === 'in');
  const organization = me.data?.organizations[0];
  const projects = useProjects(organization?.id);
  const project = projects.data?.[0];
  useEffect(() => {
    if (state === 'out') void navigate({ href: '/signin', replace: true });
    if (organization && project) {
      const place = { organization: organization.id, project: project.key };
      void navigate({ href: projectHref(place, ''), replace: true });
    }
  }, [state, organization, project, navigate]);
  const error = me.error ?? projects.error;
  useEnrolment(error);
  if (state === 'unreachable') return <ErrorPage error={NO_ANSWER} />;
  if (error !== null) return <ErrorPage error={error} />;
  if (projects.data?.length === 0)
    return (
      <Suspense>
        <NoProject />
      </Suspense>
    );
  return null;
}
