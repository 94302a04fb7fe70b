import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { moveEvents } from '../../src/control-plane/features/events/store/move-events.ts';
import { createStoredKeys } from '../../src/control-plane/features/events/stored-keys.ts';
import { type OperatorContext, Refusal } from '../../src/operator/command.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { FOLDER_IN_MEMORY } from '../database.ts';
import { SECRETS } from '../server.ts';
import type { Facts } from '../upgrades/fill-every-table.ts';
import { RELEASES, readCompressed, readFacts } from '../upgrades/release-files.ts';

/** An SQLite installation with rows in every table, in a folder of its own. No server is running. */
export interface FilledInstallation {
  readonly folder: string;
  readonly file: string;
  /** The file with the events. */
  readonly events: string;
  readonly context: OperatorContext;
  readonly facts: Facts;
  /** What the commands have reported. */
  readonly notes: readonly string[];
  remove(): void;
}

const RELEASE = RELEASES.at(-1)!;

/** Unpacks the last released database and upgrades it. The clock of its commands advances by a second per look. */
export async function newInstallation(): Promise<FilledInstallation> {
  const folder = mkdtempSync(join(FOLDER_IN_MEMORY ?? tmpdir(), 'flagsvc-operator-'));
  const file = join(folder, 'data', 'flags.db');
  const events = join(folder, 'data', 'flags.events.db');
  mkdirSync(join(folder, 'data'));
  writeFileSync(file, readCompressed(RELEASE, 'sqlite'));
  const db = await openDatabase(`sqlite:${file}`);
  await moveEvents({ db, keys: createStoredKeys({ ...SECRETS, storage: 'hashed' }) });
  await db.destroy();
  const notes: string[] = [];
  let time = Date.parse('2026-11-23T10:00:00.000Z');
  return {
    folder,
    file,
    events,
    facts: readFacts(RELEASE).sqlite,
    notes,
    context: {
      ...SECRETS,
      databaseUrl: `sqlite:${file}`,
      eventsUrl: `sqlite:${events}`,
      env: {},
      version: '1.0.0-test',
      now: () => (time += 1_000),
      note: (line) => void notes.push(line),
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** The message with which a command refuses. */
export async function refusalOf(command: Promise<unknown>): Promise<string> {
  try {
    await command;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
  throw new Error('The command did not refuse.');
}

/** The variables of a server process on an installation. */
export const environmentOf = (databaseUrl: string): Record<string, string> => ({
  FLAGSVC_DATABASE_URL: databaseUrl,
  FLAGSVC_JWT_SECRET_KEY: SECRETS.jwtSecretKey,
  FLAGSVC_API_SECRET_KEY: SECRETS.apiSecretKey,
});
