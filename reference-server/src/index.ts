export { buildServer } from './app/build-server.ts';
export type { ServerDeps } from './app/server-deps.ts';
export type { Database } from './storage/database.ts';
export { openDatabase } from './storage/open-database.ts';
