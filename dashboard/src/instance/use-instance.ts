import type { operations } from '@flagsvc/openapi';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { toProblem } from '../api/problem.ts';
import { useApi } from '../app/services.ts';

export type Status =
  operations['getInstanceStatus']['responses']['200']['content']['application/json']['data'];

/** What the server tells everybody about itself. */
export function useInstance() {
  const api = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['instance'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/instance'))).data,
  });
  return {
    instance: data,
    problem: error === null || data !== undefined ? undefined : toProblem(error),
    retry: () => void refetch(),
  };
}

/** What the server tells admins about itself, renewed every half minute. */
export function useStatus(isAdmin: boolean) {
  const api = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['instance_status'],
    enabled: isAdmin,
    refetchInterval: 30_000,
    queryFn: async (): Promise<Status> => (await unwrap(api.GET('/api/v1/instance/status'))).data,
  });
  return {
    status: data,
    problem: error === null || data !== undefined ? undefined : toProblem(error),
    retry: () => void refetch(),
  };
}

/** What this installation can do. */
export function useCapabilities() {
  const api = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['capabilities'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/instance/capabilities'))).data,
  });
  return {
    capabilities: data,
    problem: error === null || data !== undefined ? undefined : toProblem(error),
    retry: () => void refetch(),
  };
}
