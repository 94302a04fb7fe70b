import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SECRETS } from '../server.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { readCompressed } from './release-files.ts';

/** Below `node_modules`, so that the program finds the packages that are not in its bundle. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));

/** The environment of a node on a release's database, whose secrets those are. */
export const nodeEnvironment = (databaseUrl: string): Readonly<Record<string, string>> => ({
  FLAGSVC_DATABASE_URL: databaseUrl,
  FLAGSVC_JWT_SECRET_KEY: SECRETS.jwtSecretKey,
  FLAGSVC_API_SECRET_KEY: SECRETS.apiSecretKey,
});

/** The server program of a release, unpacked. */
export interface OldServer {
  start(databaseUrl: string): ServerProcess;
  remove(): void;
}

export function unpackServer(release: string): OldServer {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, `${release}-`));
  // The program reads its version from the package two folders above it.
  const program = join(folder, 'dist', 'process', 'main.js');
  mkdirSync(join(folder, 'dist', 'process'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', version: release }));
  writeFileSync(program, readCompressed(release, 'server'));
  return {
    start: (databaseUrl) => startServer(nodeEnvironment(databaseUrl), { program: [program] }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
