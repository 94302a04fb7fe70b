/**
 * Keeps the schema and the server of this working tree as a release that later versions must be able to upgrade:
 * `npm run release:schema -- <name>`. Run it once for each release; releases are never rewritten.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { sql } from 'kysely';
import { eventsOf } from '../../src/storage/events/event-database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { ask, databaseUrl, ROLE } from '../database.ts';
import { startPostgres } from '../postgres.ts';
import { startWebhookServer } from '../webhook-server.ts';
import { type Facts, fillEveryTable } from './fill-every-table.ts';
import { dumpPostgres, recordSchema } from './postgres-dump.ts';
import { pathOf, RELEASES, writeCompressed, writeFacts } from './release-files.ts';
import { LEFT_BEHIND, listEmptyTables, readRows } from './rows.ts';

/** Packages with binaries, assets or large dictionaries. The old server uses those that are installed. */
const EXTERNAL = [
  ...['better-sqlite3', 'pg', '@node-rs/argon2', '@scalar/*', 'pino', '@zxcvbn-ts/language-common'],
  ...['@opentelemetry/*', 'ioredis', 'redis'],
];
const BANNER =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";
const DATABASE = 'release';

const release = process.argv[2];
if (release === undefined || !/^[\w.-]+$/.test(release) || RELEASES.includes(release)) {
  console.error(`Give the release a new name. These exist: ${RELEASES.join(', ')}`);
  process.exit(1);
}
mkdirSync(dirname(pathOf(release, 'facts')), { recursive: true });
try {
  const sqlite = await fillSqlite(release);
  const postgres = await fillPostgres(release);
  writeFacts(release, { sqlite, postgres });
  await bundleServer(release);
  console.log(`Wrote ${dirname(pathOf(release, 'facts'))}`);
} catch (error) {
  rmSync(dirname(pathOf(release, 'facts')), { recursive: true });
  throw error;
}

/** Fills a database and checks that every table has rows. Calls `keep` while the server runs. */
async function fill(url: string, keep: () => Promise<void>): Promise<Facts> {
  const webhooks = await startWebhookServer([], {
    db: await openDatabase(url),
    // Emails that cannot be sent stay in the queue.
    sendMail: () => Promise.reject(new Error('the mail server is away')),
  });
  try {
    const facts = await fillEveryTable(webhooks);
    const empty = listEmptyTables(await readRows(url)).filter((table) => !LEFT_BEHIND.includes(table));
    if (empty.length > 0) throw new Error(`fillEveryTable leaves these tables empty: ${empty.join(', ')}`);
    await keep();
    return facts;
  } finally {
    await webhooks.close();
  }
}

async function fillSqlite(name: string): Promise<Facts> {
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-release-'));
  const url = `sqlite:${join(folder, 'flags.db')}`;
  const kept = join(folder, 'kept.db');
  const keptEvents = join(folder, 'kept.events.db');
  try {
    return await fill(url, async () => {
      const db = await openDatabase(url);
      await sql.raw(`vacuum into '${kept}'`).execute(db);
      writeCompressed(name, 'sqlite', readFileSync(kept));
      await sql.raw(`vacuum into '${keptEvents}'`).execute(eventsOf(db));
      writeCompressed(name, 'events', readFileSync(keptEvents));
      await db.destroy();
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function fillPostgres(name: string): Promise<Facts> {
  const postgres = await startPostgres();
  try {
    await ask(postgres.url, `create role ${ROLE} login`);
    await ask(postgres.url, `create database ${DATABASE} template template0 owner ${ROLE}`);
    const url = databaseUrl(postgres.url, DATABASE, ROLE);
    const schema = await recordSchema(async () => (await openDatabase(url)).destroy());
    return await fill(url, async () => {
      writeCompressed(name, 'postgres', Buffer.from(await dumpPostgres(url, schema)));
    });
  } finally {
    await postgres.remove();
  }
}

/** Bundles `flagsvc-server` into one file. */
async function bundleServer(name: string): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../src/process/main.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'esm',
    conditions: ['@flagsvc/source'],
    minify: true,
    legalComments: 'none',
    external: EXTERNAL,
    banner: { js: BANNER },
    write: false,
  });
  writeCompressed(name, 'server', Buffer.from(outputFiles[0]!.contents));
}
