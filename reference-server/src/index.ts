export { buildServer, type ServerDeps } from './server.ts';
export { type Database, openDatabase } from './storage/database.ts';
