/**
 * How the event store keeps the keys of users and units: as clients send them (`plain`), or as hashes by a secret of the
 * environment (`hashed`), which cannot be turned back or compared between environments.
 */
export const KEY_STORAGES = ['hashed', 'plain'] as const;
export type KeyStorage = (typeof KEY_STORAGES)[number];
