import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useServices } from '../services.ts';

/** What a person chose and wants to find on every device. Each feature owns one name, such as `flags.views`. */
export type Preferences = Readonly<Record<string, unknown>>;

const PATH = '/api/v1/me/preferences';
const KEY = ['preferences'];

/** One preference, and the way to change it. `fallback` until it is loaded or chosen. */
export function usePreference<T>(name: string, fallback: T): readonly [T, (value: T) => void] {
  const { session } = useServices();
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: KEY,
    staleTime: 60_000,
    queryFn: async (): Promise<Preferences> => {
      const response = await session.send(new Request(new URL(PATH, location.origin)));
      return response.ok ? ((await response.json()) as { data: Preferences }).data : {};
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
  return [(data?.[name] as T | undefined) ?? fallback, (value) => mutate({ ...data, [name]: value })];
}
