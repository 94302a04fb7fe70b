export { buildServer, type ServerDeps } from './app/build-server.ts';
export type { Database } from './storage/database.ts';
export { openDatabase } from './storage/open-database.ts';
