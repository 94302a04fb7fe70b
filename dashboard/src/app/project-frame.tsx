import { Outlet, useLocation, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { EmptyState, Skeleton } from '../ui/surface.tsx';
import { ErrorPage, NotFoundPage } from './errors/error-page.tsx';
import { t } from './messages.ts';
import {
  projectHref,
  type Scope,
  ScopeContext,
  useEnvironments,
  useMe,
  useProjects,
} from './scope/use-scope.ts';
import { useSessionState } from './services.ts';
import { SignInAgain } from './session/sign-in-again.tsx';
import { Shell } from './shell/shell.tsx';

/** The shell around a project's pages, once it is known who works where. */
export function ProjectFrame() {
  const state = useSessionState();
  const navigate = useNavigate();
  const { href } = useLocation();
  useEffect(() => {
    // While the sign-in page loads, this page is still on the screen, under the new address.
    const isLeaving = !href.startsWith('/o/');
    if (state === 'out' && !isLeaving)
      void navigate({ href: `/signin?next=${encodeURIComponent(href)}`, replace: true });
  }, [state, href, navigate]);
  const { scope, error, isMissing, email } = useScopeOfAddress(state === 'in');
  if (state === 'starting' || state === 'out') return null;
  const content =
    scope !== undefined ? (
      <ScopeContext.Provider value={scope}>
        <Shell>
          <Outlet />
        </Shell>
      </ScopeContext.Provider>
    ) : error !== null ? (
      <ErrorPage error={error} />
    ) : isMissing ? (
      <NotFoundPage />
    ) : (
      <Skeleton label={t.loading} />
    );
  return (
    <>
      {content}
      {state === 'ended' && <SignInAgain email={email} />}
    </>
  );
}

function useScopeOfAddress(isSignedIn: boolean) {
  const params = useParams({ strict: false }) as {
    readonly organization?: string;
    readonly project?: string;
  };
  const { environment: wanted } = useSearch({ strict: false }) as { readonly environment?: unknown };
  const me = useMe(isSignedIn);
  const organization = me.data?.organizations.find(({ id }) => id === params.organization);
  const projects = useProjects(isSignedIn ? organization?.id : undefined);
  const project = projects.data?.find(({ key }) => key === params.project);
  const environments = useEnvironments(isSignedIn ? project?.id : undefined);
  const scope = useMemo((): Scope | undefined => {
    if (!me.data || !organization || !project || !projects.data || !environments.data) return undefined;
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
  }, [me.data, organization, project, projects.data, environments.data, wanted]);
  return {
    scope,
    error: scope ? null : (me.error ?? projects.error ?? environments.error),
    isMissing: (me.data && !organization) || (projects.data && !project),
    email: me.data?.email ?? undefined,
  };
}

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
  if (error !== null) return <ErrorPage error={error} />;
  if (projects.data?.length === 0)
    return (
      <EmptyState icon="flag" title={t.noProject.title}>
        {t.noProject.text}
      </EmptyState>
    );
  return null;
}
