import type { Api } from '../client/api.ts';

/** Resolves ids to keys. Requests each id once, and returns the id itself if its key cannot be read. */
export interface KeyLookup {
  environment(id: string): Promise<string>;
  projects(ids: readonly string[]): Promise<readonly string[]>;
  /** Project and environment keys: `shop/production`. */
  environmentPaths(environmentIds: readonly string[]): Promise<readonly string[]>;
}

interface Named {
  readonly key: string;
  readonly project_id?: string;
}

export function createKeyLookup(api: Api): KeyLookup {
  const known = new Map<string, Named>();
  const find = async (id: string, request: () => Promise<Named>): Promise<Named> => {
    const found = known.get(id) ?? (await request().catch(() => ({ key: id })));
    known.set(id, found);
    return found;
  };
  const findEnvironment = (id: string) =>
    find(id, () => api.call('GET /environments/{environment_id}', { params: { environment_id: id } }));
  const findProject = (id: string) =>
    find(id, () => api.call('GET /projects/{project_id}', { params: { project_id: id } }));
  return {
    environment: async (id) => (await findEnvironment(id)).key,
    projects: (ids) => mapInSequence(ids, async (id) => (await findProject(id)).key),
    environmentPaths: (ids) =>
      mapInSequence(ids, async (id) => {
        const { key, project_id } = await findEnvironment(id);
        return project_id === undefined ? key : `${(await findProject(project_id)).key}/${key}`;
      }),
  };
}

/**
 * Maps one item after another: parallel requests would repeat look-ups, and a long list would cause a burst of
 * requests.
 */
export async function mapInSequence<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await map(item));
  return results;
}
