import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Api } from '../api/client.ts';
import type { Session, SessionState } from './session/session.ts';

/** What every page works with. Made once by main.tsx, and by tests. */
export interface Services {
  readonly api: Api;
  readonly session: Session;
}

const ServicesContext = createContext<Services | undefined>(undefined);

export const ServicesProvider = ServicesContext.Provider;

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (services === undefined) throw new Error('A page was rendered outside of ServicesProvider.');
  return services;
}

/** The API with the credentials of the session. */
export const useApi = (): Api => useServices().api;

export function useSessionState(): SessionState {
  const { session } = useServices();
  return useSyncExternalStore(session.subscribe, session.state);
}
