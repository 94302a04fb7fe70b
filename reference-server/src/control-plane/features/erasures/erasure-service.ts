import type { Database } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import { type Actor, systemActor } from '../../access/actor.ts';
import type { ChangeOptions, WriteGate } from '../../write-gate/change.ts';
import type { EventStore } from '../events/event-store.ts';
import type { StoredKeys } from '../events/stored-keys.ts';
import {
  completeErasure,
  type ErasureRow,
  findErasure,
  insertErasure,
  listAllEnvironmentIds,
  listErasures,
  listPending,
} from './erasure-store.ts';

export interface ErasureService {
  /** Orders the deletion of a user's events. */
  order(actor: Actor, userKey: string, options: ChangeOptions): Promise<ErasureRow>;
  list(actor: Actor): Promise<readonly ErasureRow[]>;
  /** Carries out the orders that wait. An interrupted order is carried out again. */
  carryOut(): Promise<void>;
}

export interface ErasureServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly eventStore: Pick<EventStore, 'erase'>;
  readonly eventKeys: Pick<StoredKeys, 'formsOf'>;
}

export function createErasureService(deps: ErasureServiceDeps): ErasureService {
  const { db, gate, newId, eventStore, eventKeys } = deps;

  async function carryOutOne(order: ErasureRow): Promise<void> {
    const { organization_id: organizationId, user_key: userKey } = order;
    let { exposures, track_events } = order;
    for (const environmentId of await listAllEnvironmentIds(db, organizationId)) {
      const forms = eventKeys.formsOf(environmentId, userKey!);
      const erased = await eventStore.erase({ organizationId, environmentId }, forms);
      exposures += erased.exposures;
      track_events += erased.trackEvents;
    }
    await gate.applyChange(systemActor(organizationId), {
      action: 'erasure.completed',
      permission: 'erasure.write',
      async plan(tx, at) {
        const before = (await findErasure(tx, organizationId, order.id))!;
        const after = { ...before, completed_at: at, exposures, track_events };
        return {
          resource: { type: 'erasure', id: order.id },
          before: fieldsOf(before),
          after: fieldsOf(after),
          isNoOp: before.completed_at !== null,
          write: (write) => completeErasure(write, after),
        };
      },
    });
  }

  return {
    order: ({ organizationId, ...actor }, userKey, options) =>
      gate.applyChange(
        { organizationId, ...actor },
        {
          action: 'erasure.ordered',
          permission: 'erasure.write',
          async plan(_tx, at) {
            const row: ErasureRow = {
              organization_id: organizationId,
              id: newId('ers'),
              user_key: userKey,
              created_at: at,
              completed_at: null,
              exposures: 0,
              track_events: 0,
            };
            return {
              resource: { type: 'erasure', id: row.id },
              before: null,
              after: fieldsOf(row),
              async write(write) {
                await insertErasure(write, row);
                return row;
              },
              // The stored answer of an Idempotency-Key would keep what is to be forgotten.
              replayable: (result) => ({ ...result, user_key: null }),
            };
          },
        },
        options,
      ),

    list: ({ organizationId }) => listErasures(db, organizationId),

    async carryOut() {
      for (const order of await listPending(db)) await carryOutOne(order);
    },
  };
}

/** What the audit log shows: never the user's key, which the log would keep. */
const fieldsOf = ({ completed_at, exposures, track_events }: ErasureRow) => ({
  completed_at,
  exposures,
  track_events,
});
