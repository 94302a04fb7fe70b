import type { Api } from '../client/api.ts';

/** Keys of what answers name by id. Each is asked for once; what is gone keeps its id. */
export interface Keys {
  environment(id: string): Promise<string>;
  projects(ids: readonly string[]): Promise<readonly string[]>;
  /** Environments with their projects: `shop/production`. */
  places(environmentIds: readonly string[]): Promise<readonly string[]>;
}

interface Named {
  readonly key: string;
  readonly project_id?: string;
}

export function createKeys(api: Api): Keys {
  const known = new Map<string, Named>();
  const find = async (id: string, ask: () => Promise<Named>): Promise<Named> => {
    const found = known.get(id) ?? (await ask().catch(() => ({ key: id })));
    known.set(id, found);
    return found;
  };
  const findEnvironment = (id: string) =>
    find(id, () => api.call('GET /environments/{environment_id}', { params: { environment_id: id } }));
  const findProject = (id: string) =>
    find(id, () => api.call('GET /projects/{project_id}', { params: { project_id: id } }));
  return {
    environment: async (id) => (await findEnvironment(id)).key,
    projects: (ids) => inTurn(ids, async (id) => (await findProject(id)).key),
    places: (ids) =>
      inTurn(ids, async (id) => {
        const { key, project_id } = await findEnvironment(id);
        return project_id === undefined ? key : `${(await findProject(project_id)).key}/${key}`;
      }),
  };
}

/** One after another, so that nothing is asked for twice and a long list is no burst. */
export async function inTurn<One, Made>(
  list: readonly One[],
  make: (one: One) => Promise<Made>,
): Promise<readonly Made[]> {
  const made: Made[] = [];
  for (const one of list) made.push(await make(one));
  return made;
}
