import { createContext, useContext, useEffect, useSyncExternalStore } from 'react';
import type { AuditEntry } from '../../api/types.ts';
import type { Live, LiveState } from './live.ts';

const LiveContext = createContext<Live | undefined>(undefined);

/** Given by the frame of a project; the pages before a session have no live changes. */
export const LiveProvider = LiveContext.Provider;

export function useLive(): Live {
  const live = useContext(LiveContext);
  if (live === undefined) throw new Error('A page was rendered outside of LiveProvider.');
  return live;
}

export function useLiveState(): LiveState {
  const live = useLive();
  return useSyncExternalStore(live.subscribe, live.state);
}

/** Calls `listener` for each change that others make, such as to say "Aiko saved this flag". */
export function useLiveChange(listener: (entry: AuditEntry) => void): void {
  const live = useLive();
  useEffect(() => live.onChange(listener), [live, listener]);
}
