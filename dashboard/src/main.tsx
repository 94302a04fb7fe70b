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

/** In sessionStorage: whose drafts and place this tab keeps. Also the event that tells the drafts in memory. */
const PERSON = 'flagsvc.person';

/** Nothing of a person stays in this tab for the next one. A person who signs in again finds their drafts. */
function changePerson(id = ''): void {
  try {
    if (id !== '' && sessionStorage.getItem(PERSON) === id) return;
    sessionStorage.clear();
    sessionStorage.setItem(PERSON, id);
  } catch {
    // Storage is blocked, so it holds nothing.
  }
  queries.clear();
  dispatchEvent(new Event(PERSON));
}

const session = createSession({
  fetch: (input, init) => fetch(input, init),
  monotonic: () => performance.now(),
  onPerson: changePerson,
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

// A page that the browser kept while it showed another site may be of a person who has signed out since.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
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
