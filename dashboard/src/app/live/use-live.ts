import { useEffect, useSyncExternalStore } from 'react';
import type { AuditEntry } from '../../api/types.ts';
import { useServices } from '../services.ts';
import type { LiveState } from './live.ts';

export function useLiveState(): LiveState {
  const { live } = useServices();
  return useSyncExternalStore(live.subscribe, live.state);
}

/** Calls `listener` for each change that others make, such as to say "Aiko saved this flag". */
export function useLiveChange(listener: (entry: AuditEntry) => void): void {
  const { live } = useServices();
  useEffect(() => live.onChange(listener), [live, listener]);
}
