import { ApiError } from '../../../http/errors.ts';
import { runSequentially } from '../../../lib/run-sequentially.ts';
import type { Database } from '../../../storage/database.ts';
import { systemActor } from '../../access/actor.ts';
import type { WriteGate } from '../../write-gate/change.ts';
import { fieldsOf, RESTORABLE_MS, resourceOf } from './project-state.ts';
import { deleteProject, findProject, listArchivedBefore } from './project-store.ts';

/** Deletes every project that was archived too long ago to be restored. Its key is free again. */
export function createProjectPurge(deps: {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly now: () => number;
}): () => Promise<void> {
  const { db, gate, now } = deps;
  return async () => {
    const before = new Date(now() - RESTORABLE_MS).toISOString();
    await runSequentially(await listArchivedBefore(db, before), ({ id, organization_id: organizationId }) =>
      gate.applyChange(systemActor(organizationId), {
        action: 'project.deleted',
        permission: 'project.delete',
        async plan(tx) {
          const project = await findProject(tx, { organizationId, id, archived: true });
          if (project === undefined) throw new ApiError('PROJECT_NOT_FOUND');
          return {
            resource: resourceOf(project),
            before: fieldsOf(project),
            after: null,
            write: () => deleteProject(tx, id),
          };
        },
      }),
    );
  };
}
