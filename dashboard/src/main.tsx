import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createApi } from './api/client.ts';
import { toProblem } from './api/problem.ts';
import { createDashboardRouter } from './app/create-router.tsx';
import { loadErrorPages } from './app/errors/lazy-error-page.tsx';
import { ServicesProvider } from './app/services.ts';
import { createSession } from './app/session/session.ts';
import './ui/tokens.css';
import './ui/base.css';

const session = createSession({
  fetch: (input, init) => fetch(input, init),
  monotonic: () => performance.now(),
  channel: 'BroadcastChannel' in globalThis ? new BroadcastChannel('flagsvc.session') : undefined,
});
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Refusals are final. A server that is busy or out of reach gets a second and a third try.
      retry: (count, error) => count < 2 && [0, 502, 503].includes(toProblem(error).status),
    },
    mutations: {
      // An overloaded server did not begin the change. After other failures, only a person can tell whether it is done.
      retry: (count, error) => count < 2 && toProblem(error).details['reason'] === 'overloaded',
    },
  },
});
const api = createApi(session.send, location.origin);

session.subscribe(() => {
  if (session.state() === 'out') queries.clear();
});
loadErrorPages();
void session.start();
void import('./app/focus/keep-focus.ts').then(({ keepFocus }) => keepFocus());

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <ServicesProvider value={{ api, session }}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={createDashboardRouter()} />
      </QueryClientProvider>
    </ServicesProvider>
  </StrictMode>,
);
