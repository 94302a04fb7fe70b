import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { readProblem } from '../../api/problem.ts';
import { useServices } from '../services.ts';

/** What a person chose and wants to find on every device. Each feature owns one name, such as `flags.views`. */
export type Preferences = Readonly<Record<string, unknown>>;

const PATH = '/api/v1/me/preferences';
const KEY = ['preferences'];

/**
 * One preference, the way to change it, and whether it is known. `fallback` until it is loaded or chosen. A change
 * of preferences that could not be loaded is dropped, because it would overwrite the others.
 */
export function usePreference<T>(
  name: string,
  fallback: T,
): readonly [value: T, set: (value: T) => void, isLoaded: boolean] {
  const { session } = useServices();
  const queries = useQueryClient();
  const { data, isError } = useQuery({
    queryKey: KEY,
    staleTime: 60_000,
    queryFn: async (): Promise<Preferences> => {
      const response = await session.send(new Request(new URL(PATH, location.origin)));
      if (!response.ok) throw readProblem(response, undefined);
      return ((await response.json()) as { data: Preferences }).data;
    },
  });
  const { mutate } = useMutation({
    mutationFn: (all: Preferences) =>
      session.send(
        new Request(new URL(PATH, location.origin), {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(all),
        }),
      ),
    onMutate: (all) => queries.setQueryData(KEY, all),
    onError: () => queries.invalidateQueries({ queryKey: KEY }),
  });
  const set = (value: T) => {
    if (data !== undefined) mutate({ ...queries.getQueryData<Preferences>(KEY), [name]: value });
  };
  return [(data?.[name] as T | undefined) ?? fallback, set, data !== undefined || isError];
}
