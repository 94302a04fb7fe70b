import type { StreamDialect } from '../stream/stream-messages.ts';

/**
 * The messages of `GET /ofrep/v1/stream`, for a browser's EventSource: each says that flags changed, so that the
 * browser fetches them again.
 */
export const ofrepDialect: StreamDialect = {
  name: 'ofrep',
  updated({ version, etag, evaluator }) {
    const lastModified = Math.floor(Date.parse(evaluator.ruleset.fetched_at) / 1000);
    const data = { type: 'refetchEvaluation', etag, lastModified };
    return `id: ${version}\nevent: message\ndata: ${JSON.stringify(data)}\n\n`;
  },
  heartbeat: () => ': heartbeat\n\n',
  // EventSource reconnects by itself after this time.
  goodbye: (_reason, retryMs) => `retry: ${retryMs}\n\n`,
};
