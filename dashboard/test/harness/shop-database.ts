import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ask,
  databaseUrl,
  FOLDER_IN_MEMORY,
  isOnPostgres,
  newDatabase,
  POSTGRES_VARIABLE,
  ROLE,
  type SharedDatabase,
} from '../../../reference-server/test/database.ts';
import { tellStory } from '../shop/story.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const CACHE = join(root, 'node_modules', '.cache', 'flagsvc-shop');
/** The times of the shop count back from when it was filled, so an older copy would look stale. */
const KEPT_MS = 2 * 3_600_000;

let copies = 0;

/**
 * A database with the shop, for copies. `FLAGSVC_TEST_DATABASE=postgres` chooses the engine. An SQLite file is kept for
 * two hours, or until the server or the shop changes, because filling it takes seconds.
 */
export async function makeShop(webhookUrl: string): Promise<SharedDatabase> {
  const shop = await newDatabase();
  const kept = join(CACHE, `${digest(webhookUrl)}.db`);
  const isUsable = !isOnPostgres && existsSync(kept) && Date.now() - statSync(kept).mtimeMs < KEPT_MS;
  if (isUsable) copyFileSync(kept, fileOf(shop.url));
  else {
    await tellStory(shop.url, webhookUrl);
    if (!isOnPostgres) keep(fileOf(shop.url), kept);
  }
  return shop;
}

/** A copy that one server can change. */
export async function copyShop(url: string): Promise<SharedDatabase> {
  if (isOnPostgres) return copyDatabase(url);
  const folder = mkdtempSync(join(FOLDER_IN_MEMORY ?? tmpdir(), 'flagsvc-shop-'));
  const file = join(folder, 'shop.db');
  copyFileSync(fileOf(url), file);
  return { url: `sqlite:${file}`, remove: async () => rmSync(folder, { recursive: true }) };
}

async function copyDatabase(url: string): Promise<SharedDatabase> {
  const server = process.env[POSTGRES_VARIABLE]!;
  const name = `shop_${process.pid}_${++copies}`;
  await ask(server, `create database ${name} template ${new URL(url).pathname.slice(1)} owner ${ROLE}`);
  return {
    url: databaseUrl(server, name, ROLE),
    remove: () => ask(server, `drop database if exists ${name} with (force)`),
  };
}

function keep(file: string, kept: string): void {
  rmSync(CACHE, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  copyFileSync(file, kept);
}

/** Everything that decides what the shop contains. */
function digest(webhookUrl: string): string {
  const hash = createHash('sha256').update(webhookUrl);
  for (const folder of ['dashboard/test/shop', 'reference-server/src', 'reference-server/test'])
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
      if (entry.isFile()) hash.update(entry.name).update(readFileSync(join(entry.parentPath, entry.name)));
  return hash.digest('hex').slice(0, 16);
}

const fileOf = (url: string): string => url.slice('sqlite:'.length);
