import type { components } from '@flagsvc/openapi';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import { toProblem } from '../../api/problem.ts';
import type { Environment } from '../../api/types.ts';
import { useRights } from '../../app/scope/use-rights.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { useApi } from '../../app/services.ts';
import { toMs } from '../../i18n/format-time.ts';
import type { ProjectFlag } from '../use-needs.ts';

export type ApiKey = components['schemas']['ApiKey'];
export type Sdk = components['schemas']['Sdk'];

/** How often the page looks for the app. */
const WAIT_MS = 2_000;

/** Everything that the steps know, from the API alone: a reload or another person's change cannot make them wrong. */
export interface PathFacts {
  /** Where the first app runs: development, or the first environment that the person may change. */
  readonly environment: Environment;
  readonly flags: readonly ProjectFlag[];
  /** Usable keys of the environment, newest first. */
  readonly keys: readonly ApiKey[];
  /** SDKs that reported in the environment, last seen first. */
  readonly sdks: readonly Sdk[];
  /** When a flag was last switched here. */
  readonly switchedAt: string | undefined;
}

export function usePath() {
  const api = useApi();
  const { project } = useScope();
  const environment = usePathEnvironment();
  const query = useQuery({
    queryKey: ['flag', 'path', project.id, environment?.id],
    enabled: environment !== undefined,
    refetchInterval: WAIT_MS,
    queryFn: async (): Promise<PathFacts> => {
      const at = { path: { environment_id: environment!.id } };
      const latest = { environment_id: environment!.id, action: 'flag.toggled', per_page: 1 };
      const oldest = { per_page: 50, sort: 'created_at', order: 'asc' } as const;
      const [flags, keys, sdks, log] = await Promise.all([
        unwrap(
          api.GET('/api/v1/projects/{project_id}/flags', {
            params: { path: { project_id: project.id }, query: oldest },
          }),
        ),
        unwrap(
          api.GET('/api/v1/environments/{environment_id}/api-keys', {
            params: { ...at, query: { per_page: 200 } },
          }),
        ),
        unwrap(api.GET('/api/v1/environments/{environment_id}/sdks', { params: at })),
        unwrap(api.GET('/api/v1/audit-log', { params: { query: latest } })),
      ]);
      const isUsable = ({ status }: ApiKey) => status === 'active' || status === 'rotating';
      return {
        environment: environment!,
        flags: flags.data,
        keys: keys.data
          .filter(isUsable)
          .toSorted((left, right) => toMs(right.created_at) - toMs(left.created_at)),
        sdks: sdks.data,
        switchedAt: log.data[0]?.timestamp,
      };
    },
  });
  return {
    facts: query.data,
    problem: query.error ? toProblem(query.error) : undefined,
    retry: query.refetch,
  };
}

function usePathEnvironment(): Environment | undefined {
  const { environments } = useScope();
  const { whyNot } = useRights();
  const open = environments.filter((one) => whyNot(one) === undefined);
  return (
    open.find(({ type }) => type === 'development') ??
    open.find(({ type }) => type !== 'production') ??
    open[0] ??
    environments[0]
  );
}

/** Which steps are done. The app has been switched when that happened after its first report. */
export function stepsDone({ flags, keys, sdks, switchedAt }: PathFacts): readonly boolean[] {
  const used = keys.flatMap(({ last_used_at: at }) => (at === null ? [] : [toMs(at)]));
  const seen = sdks.map(({ first_seen_at: at }) => toMs(at));
  const isSeen = seen.length > 0 || used.length > 0;
  const first = Math.min(...(seen.length > 0 ? seen : used));
  const isSwitched = isSeen && switchedAt !== undefined && toMs(switchedAt) >= first;
  return [true, flags.length > 0, keys.length > 0 || sdks.length > 0, isSeen, isSwitched];
}
