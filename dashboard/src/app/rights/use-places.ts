import { useQueries } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import { readAll } from '../../api/read-all.ts';
import type { Environment, Project } from '../../api/types.ts';
import { useScope } from '../scope/use-scope.ts';
import { useApi } from '../services.ts';

/** A project with its environments in their order. */
export interface ProjectPlace {
  readonly project: Project;
  readonly environments: readonly Environment[];
}

export interface Places {
  /** The project of the page first. */
  readonly projects: readonly ProjectPlace[];
  /** True until every project has answered. */
  readonly isLoading: boolean;
  environment(id: string): Environment | undefined;
  project(id: string): Project | undefined;
}

/** All projects of the organization with their environments. Rights name environments of any project. */
export function usePlaces(): Places {
  const api = useApi();
  const { project: here, projects, environments: own } = useScope();
  const others = projects.filter(({ id }) => id !== here.id);
  const answers = useQueries({
    queries: others.map(({ id }) => ({
      queryKey: ['environment', id],
      staleTime: 30_000,
      queryFn: async () => {
        const listed = await readAll((page) => {
          const params = { query: { project_id: id, ...page } };
          return unwrap(api.GET('/api/v1/environments', { params }));
        });
        return listed.toSorted((a, b) => a.position - b.position);
      },
    })),
  });
  const all = [
    { project: here, environments: own },
    ...others.map((project, index) => ({ project, environments: answers[index]?.data ?? [] })),
  ];
  return {
    projects: all,
    isLoading: answers.some(({ isPending }) => isPending),
    environment: (id) => all.flatMap(({ environments }) => environments).find((one) => one.id === id),
    project: (id) => projects.find((one) => one.id === id),
  };
}
