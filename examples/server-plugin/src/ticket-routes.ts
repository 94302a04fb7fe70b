import {
  actorOf,
  Page,
  type PluginRoutes,
  page,
  pageOf,
  pageQuery,
  route,
  Type,
} from '@flagsvc/reference-server/plugin';
import { listTickets, type TicketRow } from './ticket-store.ts';

const Ticket = Type.Object({
  ticket: Type.String(),
  action: Type.String({ description: 'The action in the audit log, such as `flag.toggled`.' }),
  resource_id: Type.String(),
  actor_id: Type.Union([Type.String(), Type.Null()]),
  used_at: Type.String({ format: 'date-time' }),
  reported: Type.Boolean({ description: 'True once the ticket has been reported to the ticket system.' }),
});

const listChangeTickets = route({
  access: 'audit.read_all',
  operationId: 'listChangeTickets',
  tag: 'Change tickets',
  summary: 'List change tickets',
  description: 'Returns the tickets of changes in production, newest first.',
  query: Type.Object(pageQuery),
  answer: [200, Page(Ticket)],
});

/** Registers `GET /change-tickets`. */
export const registerTicketRoutes: PluginRoutes['register'] = (app, { db }) => {
  app.get('/change-tickets', listChangeTickets, async (request) => {
    const range = pageOf(request.query as Parameters<typeof pageOf>[0]);
    const { rows, total } = await listTickets(db, actorOf(request).organizationId, range);
    return page(rows.map(toRecord), { ...range, total });
  });
};

function toRecord({ ticket, action, resource_id, actor_id, used_at, reported_at }: TicketRow) {
  return { ticket, action, resource_id, actor_id, used_at, reported: reported_at !== null };
}
