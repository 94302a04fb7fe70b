import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { Facts } from './fill-every-table.ts';

/**
 * One folder for each released schema: a filled database on each engine, what clients read from it, and the server of
 * that release. `make-release.ts` writes them, and nothing edits them afterwards.
 */
const FOLDER = fileURLToPath(new URL('./releases/', import.meta.url));

export type Engine = 'sqlite' | 'postgres';

/** The kept files: two SQLite files, of which releases before `0232-events-by-day` have no second one, the SQL text of a PostgreSQL database, facts about both, and the program. */
const FILES = {
  sqlite: 'sqlite.db.br',
  events: 'events.db.br',
  postgres: 'postgres.sql.br',
  facts: 'facts.json',
  server: 'server.js.br',
} as const;

/** The names of the released schemas, oldest first. */
export const RELEASES: readonly string[] = readdirSync(FOLDER).sort();

export const pathOf = (release: string, file: keyof typeof FILES): string =>
  join(FOLDER, release, FILES[file]);

export const readCompressed = (release: string, file: Engine | 'events' | 'server'): Buffer =>
  brotliDecompressSync(readFileSync(pathOf(release, file)));

export function writeCompressed(release: string, file: Engine | 'events' | 'server', content: Buffer): void {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  writeFileSync(pathOf(release, file), brotliCompressSync(content, { params }));
}

export const readFacts = (release: string): Readonly<Record<Engine, Facts>> =>
  JSON.parse(readFileSync(pathOf(release, 'facts'), 'utf8'));

export function writeFacts(release: string, facts: Readonly<Record<Engine, Facts>>): void {
  writeFileSync(pathOf(release, 'facts'), `${JSON.stringify(facts, null, 2)}\n`);
}
