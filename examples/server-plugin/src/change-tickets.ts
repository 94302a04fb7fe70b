import type { PluginContext, ServerPlugin } from '@flagsvc/reference-server/plugin';
import { createReporter, type SendTicket } from './report-tickets.ts';
import { ticketGuard } from './ticket-guard.ts';
import { registerTicketRoutes } from './ticket-routes.ts';
import { migrations, purgeTickets } from './ticket-store.ts';

export interface ChangeTicketOptions {
  /** Reports a used ticket to the ticket system. A failure is logged, and the next run of the job tries again. */
  readonly send: SendTicket;
}

/**
 * Requires a change ticket in the comment of every change of production's ruleset, and reports it to the ticket system.
 */
export function createChangeTickets({ send }: ChangeTicketOptions): ServerPlugin {
  let reporter: (() => Promise<void>) | undefined;
  // The job and the listener share one reporter, so that they never send the same ticket at the same time.
  const reporterOf = (context: PluginContext) => (reporter ??= createReporter(context, send));
  return {
    name: 'change-tickets',
    migrations,
    guards: [ticketGuard],
    routes: { register: registerTicketRoutes },
    jobs: (context) => [
      { name: 'report', run: reporterOf(context) },
      { name: 'retention', schedule: 'nightly', run: () => purgeTickets(context.db, context.now()) },
    ],
    // The listener reports at once. It misses commits of other processes and commits just before a crash; the job
    // reports these later.
    commitListeners: (context) => [reporterOf(context)],
  };
}
