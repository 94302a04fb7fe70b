import type { Feature } from '../../feature.ts';
import { type ChangeFeed, type ChangeFeedDeps, createChangeFeed } from './change-feed.ts';
import { type ChangeStreamDeps, changeStreamRoutes } from './change-stream-routes.ts';

/** The changes of an organization as a stream, for pages that show them at once. */
export function createChangeStreamFeature({
  authenticate,
  ...deps
}: ChangeFeedDeps & Pick<ChangeStreamDeps, 'authenticate'>): Feature<ChangeFeed> {
  const feed = createChangeFeed(deps);
  return {
    service: feed,
    routes: async (app) => void (await app.register(changeStreamRoutes, { feed, authenticate })),
    commitListeners: [() => feed.wake()],
  };
}
