import type { StreamDialect } from '../stream/stream-messages.ts';

/** What browsers' EventSource hears from `GET /ofrep/v1/stream`: that there is something to fetch. */
export const ofrepDialect: StreamDialect = {
  name: 'ofrep',
  updated({ version, etag, evaluator }) {
    const lastModified = Math.floor(Date.parse(evaluator.ruleset.fetched_at) / 1000);
    const data = { type: 'refetchEvaluation', etag, lastModified };
    return `id: ${version}\nevent: message\ndata: ${JSON.stringify(data)}\n\n`;
  },
  heartbeat: () => ': heartbeat\n\n',
  // EventSource comes back by itself, after this time.
  goodbye: (_reason, retryMs) => `retry: ${retryMs}\n\n`,
};
