import { randomUUID } from 'node:crypto';
import { ApiError, type Guard, type Tx } from '@flagsvc/reference-server/plugin';
import { insertTicket } from './ticket-store.ts';

const TICKET = /\bCHG-\d+\b/;

/**
 * Refuses a change of production's ruleset unless its comment names a ticket, and records the ticket. The system needs
 * no ticket.
 */
export const ticketGuard: Guard = {
  name: 'ticket-required',
  async check(tx, { actor, action, plan, call, at }) {
    const { resource, reach } = plan;
    if (actor.kind === 'system' || !(await includesProduction(tx, reach?.served?.environmentIds ?? []))) {
      return undefined;
    }
    const ticket = TICKET.exec(call.comment ?? '')?.[0];
    if (ticket === undefined) {
      throw new ApiError('COMMENT_REQUIRED', {
        message: 'Changes in production need a change ticket in the comment, such as CHG-1234.',
        details: { pattern: TICKET.source },
      });
    }
    return {
      // Runs in the transaction of the change, so both commit or neither does.
      async write(changeTx) {
        await insertTicket(changeTx, {
          id: randomUUID(),
          organization_id: actor.organizationId,
          ticket,
          action,
          resource_id: resource.id,
          actor_id: actor.id,
          used_at: at,
          reported_at: null,
        });
        return [];
      },
    };
  },
};

async function includesProduction(tx: Tx, environmentIds: readonly string[]): Promise<boolean> {
  if (environmentIds.length === 0) return false;
  const production = await tx
    .selectFrom('environments')
    .select('id')
    .where('id', 'in', environmentIds)
    .where('type', '=', 'production')
    .executeTakeFirst();
  return production !== undefined;
}
