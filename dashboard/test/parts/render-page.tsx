import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
  useRouter,
} from '@tanstack/react-router';
import { render } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { RouterProvider as AriaRouter } from 'react-aria-components';
import { createApi } from '../../src/api/client.ts';
import type { Environment, Me, Project, Role } from '../../src/api/types.ts';
import { LiveProvider } from '../../src/app/live/use-live.ts';
import { projectHref, type Scope, ScopeContext } from '../../src/app/scope/use-scope.ts';
import { ServicesProvider } from '../../src/app/services.ts';
import { createSession } from '../../src/app/session/session.ts';
import { TipContext } from '../../src/ui/tip.tsx';
import { Toasts } from '../../src/ui/toast.tsx';
import { Tip } from '../../src/ui/tooltip.tsx';

/** The API's answer to one request: a body for 200, or a whole response. */
export type Answer = (request: Request) => unknown | Response | Promise<unknown | Response>;

export interface PageOptions {
  /** Answers by method and path: `'GET /api/v1/audit-log'`. A request without an answer fails the test. */
  readonly answers?: Readonly<Record<string, Answer>>;
  /** The address: `/?q=cart`. */
  readonly address?: string;
  readonly role?: Role;
}

const environment = (key: 'development' | 'staging' | 'production', position: number) =>
  ({ id: `env_${key}`, key, name: key[0]!.toUpperCase() + key.slice(1), type: key, position }) as Environment;

/** The scope of pages in these tests: Northwind Market, Storefront, three environments. */
export function testScope(role: Role = 'admin'): Scope {
  const organization: Me['organizations'][number] = {
    id: 'org_1',
    name: 'Northwind Market',
    role,
    environment_ids: null,
    project_roles: [],
  };
  const project = { id: 'prj_1', key: 'storefront', name: 'Storefront' } as Project;
  return {
    me: {
      id: 'usr_1',
      email: 'mara@northwind.example',
      full_name: 'Mara Lindqvist',
      role,
      organizations: [organization],
    } as unknown as Me,
    organization,
    project,
    projects: [project],
    environments: [environment('development', 0), environment('staging', 1), environment('production', 2)],
    environment: undefined,
    role,
    hrefTo: (path, search) => projectHref({ organization: 'org_1', project: 'storefront' }, path, search),
  };
}

/** An error answer of the API. */
export function refusal(status: number, code: string, details: object = {}): Response {
  return Response.json({ error: { code, message: code, details } }, { status });
}

/** Renders a page or a part of it with the services, the router and the scope that it has in the dashboard. */
export async function renderPage(content: ReactNode, options: PageOptions = {}) {
  const { answers = {}, address = '/', role } = options;
  const sent: Request[] = [];
  const fetch = async (input: Request | string): Promise<Response> => {
    const request = input instanceof Request ? input : new Request(new URL(input, location.origin));
    sent.push(request.clone() as Request);
    const name = `${request.method} ${new URL(request.url).pathname}`;
    const answer = answers[name];
    if (answer === undefined) throw new Error(`No answer for ${name}`);
    const given = await answer(request);
    return given instanceof Response ? given : Response.json(given);
  };
  const session = createSession({ fetch, monotonic: () => 0 });
  const live = {
    state: () => 'on' as const,
    subscribe: () => () => undefined,
    onChange: () => () => undefined,
    start: () => undefined,
    stop: () => undefined,
  };
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const root = createRootRoute({ component: () => <Root>{content}</Root> });
  const router = createRouter({
    routeTree: root,
    history: createMemoryHistory({ initialEntries: [address] }),
    // Every address shows the content.
    defaultNotFoundComponent: () => <Root>{content}</Root>,
  });
  await router.load();
  const view = render(
    <ServicesProvider value={{ api: createApi(session.send, location.origin), session }}>
      <QueryClientProvider client={queries}>
        <ScopeContext.Provider value={testScope(role)}>
          <LiveProvider value={live}>
            <RouterProvider router={router as never} />
          </LiveProvider>
        </ScopeContext.Provider>
      </QueryClientProvider>
    </ServicesProvider>,
  );
  return {
    ...view,
    user: userEvent.setup(),
    /** Requests so far. */
    sent,
    /** The search parameters of the address. */
    search: (): Readonly<Record<string, unknown>> => router.state.location.search,
  };
}

function Root({ children }: { readonly children: ReactNode }) {
  const router = useRouter();
  return (
    <AriaRouter navigate={(href) => void router.navigate({ href })}>
      <TipContext.Provider value={Tip}>{children}</TipContext.Provider>
      <Toasts />
    </AriaRouter>
  );
}
