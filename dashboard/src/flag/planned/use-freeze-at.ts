import type { components } from '@flagsvc/openapi';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import { useApi } from '../../app/services.ts';
import { toMs } from '../../i18n/format-time.ts';
import type { Place } from '../use-flag.ts';

export type FreezeAhead = components['schemas']['FreezeCalendar']['occurrences'][number];

/** The freeze that covers the flag at an instant; undefined when none does, or while it is not known. */
export function useFreezeAt(place: Place, instant: string | undefined): FreezeAhead | undefined {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['freeze', 'at', instant],
    enabled: instant !== undefined,
    staleTime: 60_000,
    queryFn: async () => {
      const query = { from: instant!, to: new Date(toMs(instant!) + 60_000).toISOString() };
      return (await unwrap(api.GET('/api/v1/freeze-windows/calendar', { params: { query } }))).data;
    },
  });
  return data?.occurrences.filter((one) => covers(one, place)).toSorted(lastToEnd)[0];
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

/** All windows must be over before a change can run. */
function lastToEnd({ ends_at: left }: FreezeAhead, { ends_at: right }: FreezeAhead): number {
  if (left === null || right === null) return left === right ? 0 : left === null ? -1 : 1;
  return right.localeCompare(left);
}
