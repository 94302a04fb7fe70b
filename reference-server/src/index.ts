export { buildServer, type ServerDeps } from './app/build-server.ts';
export { type Database, openDatabase } from './storage/database.ts';
