import { useQueries } from '@tanstack/react-query';
import { useEffect } from 'react';
import { unwrap } from '../api/client.ts';
import { usePreference } from '../app/preferences/use-preferences.ts';
import { useRights } from '../app/scope/use-rights.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';

/** What a person decided about the way to the first app, by project. `open`: on it. `left`: later, or done. */
type Paths = Readonly<Record<string, 'open' | 'left'>>;

const NONE: Paths = {};

/** The overview, or the way to the first app. Undefined until it is known. */
export function useWhichStart(): {
  readonly shown: 'path' | 'overview' | undefined;
  readonly open: () => void;
  readonly leave: () => void;
} {
  const { project } = useScope();
  const { canEdit } = useRights();
  const [paths, setPaths, isLoaded] = usePreference<Paths>('start.paths', NONE);
  const seen = useIsSdkSeen();
  const set = (path: 'open' | 'left') => setPaths({ ...paths, [project.id]: path });
  const chosen = paths[project.id];
  const isFirst = canEdit && isLoaded && chosen === undefined && seen === false;
  // The way stays open after its app was seen, until the person leaves it.
  useEffect(() => {
    if (isFirst) setPaths({ ...paths, [project.id]: 'open' });
  });
  const isKnown = chosen !== undefined || (isLoaded && seen !== undefined);
  const isPath = canEdit && (chosen === 'open' || isFirst);
  return {
    shown: isPath ? 'path' : isKnown ? 'overview' : undefined,
    open: () => set('open'),
    leave: () => set('left'),
  };
}

/** Whether an SDK ever evaluated a flag of the project. When it cannot be known, the overview is right. */
function useIsSdkSeen(): boolean | undefined {
  const api = useApi();
  const { environments } = useScope();
  return useQueries({
    queries: environments.map(({ id }) => ({
      queryKey: ['sdk', id, 'any'],
      staleTime: 60_000,
      queryFn: async () => {
        const params = { path: { environment_id: id }, query: { per_page: 1 } };
        return (
          (await unwrap(api.GET('/api/v1/environments/{environment_id}/sdks', { params }))).meta.total > 0
        );
      },
    })),
    combine: (answers) => {
      if (answers.some(({ data, error }) => data === true || error !== null)) return true;
      return answers.every(({ data }) => data === false) ? false : undefined;
    },
  });
}
