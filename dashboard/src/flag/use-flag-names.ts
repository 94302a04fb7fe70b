import { useQueries } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';

/** More names than a sentence has room for. */
const ASKED_MAX = 20;

/** The names of other flags of the project by key; the key itself while a name is loading, and for a flag that is gone. */
export function useFlagNames(keys: readonly string[]): (key: string) => string {
  const api = useApi();
  const { project, environments } = useScope();
  const [first] = environments;
  const asked = [...new Set(keys)].slice(0, ASKED_MAX);
  const answers = useQueries({
    queries: asked.map((key) => ({
      queryKey: ['flag', project.id, key, 'name'],
      enabled: first !== undefined,
      staleTime: 300_000,
      queryFn: async () => {
        const query = { project_id: project.id, environment_id: first!.id };
        const params = { path: { key }, query };
        return (await unwrap(api.GET('/api/v1/flags/by-key/{key}', { params }))).data.name;
      },
    })),
  });
  return (key) => answers[asked.indexOf(key)]?.data ?? key;
}
