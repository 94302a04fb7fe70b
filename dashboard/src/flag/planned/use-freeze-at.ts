import type { components } from '@flagsvc/openapi';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import { useApi } from '../../app/services.ts';
import { toMs } from '../../i18n/format-time.ts';
import type { Place } from '../use-flag.ts';

export type FreezeAhead = components['schemas']['FreezeCalendar']['occurrences'][number];

/** Windows without a gap between them. */
export interface FreezeSpan {
  readonly names: readonly string[];
  /** Null while a person has to end one of them. */
  readonly ends_at: string | null;
}

/** How far ahead a span is followed; the API answers for at most 100 days. */
const AHEAD_MS = 90 * 86_400_000;

/** The freezes that cover the flag at an instant and from there on; undefined when none does, or while it is not known. */
export function useFreezeAt(place: Place, instant: string | undefined): FreezeSpan | undefined {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['freeze', 'at', instant],
    enabled: instant !== undefined,
    staleTime: 60_000,
    queryFn: async () => {
      const query = { from: instant!, to: new Date(toMs(instant!) + AHEAD_MS).toISOString() };
      return (await unwrap(api.GET('/api/v1/freeze-windows/calendar', { params: { query } }))).data;
    },
  });
  if (data === undefined || instant === undefined) return undefined;
  return spanAt(
    data.occurrences.filter((one) => covers(one, place)),
    instant,
  );
}

/** A change that waits for the end of one window must not run into the next one. */
export function spanAt(
  windows: readonly Pick<FreezeAhead, 'name' | 'starts_at' | 'ends_at'>[],
  instant: string,
): FreezeSpan | undefined {
  const names = new Set<string>();
  let endMs = toMs(instant);
  for (;;) {
    const isOn = ({ starts_at: from, ends_at: to }: (typeof windows)[number]): boolean =>
      toMs(from) <= endMs && (to === null || toMs(to) > endMs);
    const active = windows.filter(isOn);
    for (const { name } of active) names.add(name);
    if (active.some(({ ends_at: to }) => to === null)) return { names: [...names], ends_at: null };
    if (active.length === 0) break;
    endMs = Math.max(...active.map(({ ends_at: to }) => toMs(to!)));
  }
  return names.size === 0 ? undefined : { names: [...names], ends_at: new Date(endMs).toISOString() };
}

/** An empty list does not limit a window. */
export function covers({ scope }: Pick<FreezeAhead, 'scope'>, { environment, flag }: Place): boolean {
  const has = <T>(list: readonly T[], one: T): boolean => list.length === 0 || list.includes(one);
  return (
    has(scope.project_ids, environment.project_id) &&
    has(scope.environment_ids, environment.id) &&
    has(scope.environment_types, environment.type) &&
    (scope.tags.length === 0 || scope.tags.some((tag) => flag.tags.includes(tag)))
  );
}
