import type { Database } from '../../../storage/database.ts';
import { longReads } from '../../../storage/long-reads.ts';
import type { Actor } from '../../access/actor.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { type SearchHit, type SearchQuery, search } from './search-store.ts';

export interface SearchService {
  /** Finds flags and segments whose key, name or description contains every word. Throws PROJECT_NOT_FOUND. */
  search(
    actor: Actor,
    query: SearchQuery,
  ): Promise<{ readonly hits: readonly SearchHit[]; readonly total: number }>;
}

export interface SearchServiceDeps {
  readonly db: Database;
  readonly requireProject: RequireProject;
}

export function createSearchService({ db, requireProject }: SearchServiceDeps): SearchService {
  return {
    async search({ organizationId }, query) {
      if (query.projectId !== undefined) await requireProject(db, organizationId, query.projectId);
      return search(longReads(db), organizationId, query);
    },
  };
}
