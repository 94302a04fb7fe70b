import { usePreference } from '../preferences/use-preferences.ts';
import { useScope } from './use-scope.ts';

/** More do not fit beside each other at the top of the window. */
export const PINS_MAX = 5;

/** Ids of the environments that the person has pinned in this project, and the way to pin another. */
export function usePinned(): readonly [readonly string[], (ids: readonly string[]) => void] {
  const { project, environments } = useScope();
  const [all, setAll] = usePreference<Readonly<Record<string, readonly string[]>>>('environments.pinned', {});
  const ids = (all[project.id] ?? []).filter((id) => environments.some((one) => one.id === id));
  return [ids, (next) => setAll({ ...all, [project.id]: next })];
}
