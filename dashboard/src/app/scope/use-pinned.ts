import { useMemo } from 'react';
import type { Environment } from '../../api/types.ts';
import { usePreference } from '../preferences/use-preferences.ts';
import { useScope } from './use-scope.ts';

/** More do not fit beside each other. */
export const PINS_MAX = 5;

/** Ids of the environments that the person has pinned in this project, and the way to pin another. */
export function usePinned(): readonly [readonly string[], (ids: readonly string[]) => void] {
  const { project, environments } = useScope();
  const [all, setAll] = usePreference<Readonly<Record<string, readonly string[]>>>('environments.pinned', {});
  const ids = (all[project.id] ?? []).filter((id) => environments.some((one) => one.id === id));
  return [ids, (next) => setAll({ ...all, [project.id]: next })];
}

/** The environments that pages show beside each other: all, or the few that a project with many has room for. */
export function useFewEnvironments(): readonly Environment[] {
  const { environments, environment } = useScope();
  const [pins] = usePinned();
  const chosen = pins.join();
  return useMemo(
    () => fewOf(environments, { pins: chosen.split(','), shown: environment?.id }),
    [environments, environment, chosen],
  );
}

/** The shown one, those that the person pinned, production, and then the first ones; all in their own order. */
export function fewOf(
  environments: readonly Environment[],
  { pins, shown }: { readonly pins: readonly string[]; readonly shown: string | undefined },
): readonly Environment[] {
  if (environments.length <= PINS_MAX) return environments;
  const rank = ({ id, type }: Environment): number =>
    id === shown ? 0 : pins.includes(id) ? 1 : type === 'production' ? 2 : 3;
  const few = new Set(environments.toSorted((left, right) => rank(left) - rank(right)).slice(0, PINS_MAX));
  return environments.filter((one) => few.has(one));
}
