import { existsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type Sqlite from 'better-sqlite3';
import type { Secrets } from '../../app/secrets.ts';
import { isPostgresUrl, sqliteFileOf, withoutSecrets } from '../../storage/database-url.ts';
import { queryOver } from '../../storage/sqlite.ts';
import { openReadOnly } from '../../storage/sqlite-file.ts';
import { checkForeignKeys, checkIntegrity } from '../check/check-schema.ts';
import { checkSecrets } from '../check/check-secrets.ts';
import { countOf, type OperatorContext, type Outcome, Refusal, sizeOf } from '../command.ts';
import { rethrowFault } from '../faults.ts';
import { type Digest, digestOfFile, isSameDigest } from '../files.ts';
import { POSTGRES_BACKUP, refusePostgres } from '../postgres-advice.ts';
import { createWorkFile, removeAbandoned, removeWorkFile } from '../work-file.ts';
import { backupNameAt, eventsNameOf } from './backup-names.ts';
import type { BackupStore } from './backup-store.ts';
import { countRows, type Described, describeDatabase } from './describe.ts';
import { type BackedUpFile, type Manifest, manifestNameOf, signManifest } from './manifest.ts';
import { deleteOldBackups } from './retention.ts';
import { openTarget } from './target.ts';

export interface BackupOptions {
  /** A folder, a file that ends with `.db`, or `s3://bucket/prefix`. */
  readonly target: string;
  /** Delete all but this many backups of this installation in the target. */
  readonly keep?: number;
}

const SECRETS = 'FLAGSVC_JWT_SECRET_KEY and FLAGSVC_API_SECRET_KEY';

/**
 * Copies an SQLite database while its server runs, checks the copy, and stores it with a signed manifest. The backup
 * appears under its name only when it is complete. Throws Refusal if the database is damaged or the name is taken.
 */
export async function backUp(context: OperatorContext, options: BackupOptions): Promise<Outcome> {
  if (isPostgresUrl(context.databaseUrl)) refusePostgres(POSTGRES_BACKUP);
  const source = sqliteFileOf(context.databaseUrl);
  if (source === undefined) throw new Refusal('A database in memory has no file to back up.');
  if (!existsSync(source)) throw new Refusal(`${source} does not exist. See FLAGSVC_DATABASE_URL.`);
  const { store, file } = await openTarget(options.target, {
    context,
    workFolder: dirname(source),
    creates: true,
  });
  if (file !== undefined && options.keep !== undefined) {
    throw new Refusal('--keep needs a folder or s3://bucket/prefix, because it deletes older backups there.');
  }
  const at = context.now();
  const name = file ?? backupNameAt(at);
  await requireFree(store, name);
  removeAbandoned(store.workFolder, context.note);
  const manifest = await writeBackup({ context, source, events: findEvents(context), store, name, at });
  const { keep } = options;
  const { apiSecretKey } = context;
  const { installation } = manifest;
  const deleted =
    keep === undefined ? [] : await deleteOldBackups(store, { keep, apiSecretKey, installation });
  return report({ context, store, manifest, deleted });
}

/** The file with the events; undefined if they are in another kind of database, or if no server has created the file. */
function findEvents({ eventsUrl }: OperatorContext): string | undefined {
  const file = sqliteFileOf(eventsUrl);
  return file !== undefined && existsSync(file) ? file : undefined;
}

interface Writing {
  readonly context: OperatorContext;
  readonly source: string;
  /** The file with the events. */
  readonly events: string | undefined;
  readonly store: BackupStore;
  readonly name: string;
  readonly at: number;
}

async function requireFree(store: BackupStore, name: string): Promise<void> {
  if (await store.has(manifestNameOf(name))) {
    throw new Refusal(`${store.placeOf(name)} exists. Choose another name: backups are never overwritten.`);
  }
  const taken = [name, eventsNameOf(name)];
  const present = await Promise.all(taken.map((one) => store.has(one)));
  const first = taken[present.indexOf(true)];
  if (first === undefined) return;
  throw new Refusal(
    `${store.placeOf(first)} exists without a manifest: it is not a backup, or its backup was interrupted. Delete it or choose another name: backups are never overwritten.`,
  );
}

async function writeBackup({ context, source, events, store, name, at }: Writing): Promise<Manifest> {
  const workFiles: string[] = [];
  const create = (of: string): string => {
    const path = createWorkFile(store.workFolder, of);
    workFiles.push(path);
    return path;
  };
  try {
    const copy = create(name);
    copyDatabase(source, copy);
    const described = await verifyCopy(copy, context);
    const digest = await digestOfFile(copy);
    const copies = [{ name, copy, digest }];
    let event_tables: Readonly<Record<string, number>> | undefined;
    if (events !== undefined) {
      const eventsName = eventsNameOf(name);
      const eventsCopy = create(eventsName);
      copyDatabase(events, eventsCopy);
      event_tables = verifyEvents(eventsCopy);
      copies.push({ name: eventsName, copy: eventsCopy, digest: await digestOfFile(eventsCopy) });
    }
    const manifest = signManifest(
      {
        created_at: new Date(at).toISOString(),
        flagsvc_version: context.version,
        ...described,
        files: copies.map((one) => ({ name: one.name, ...one.digest })),
        ...(event_tables !== undefined && { event_tables }),
      },
      context.apiSecretKey,
    );
    for (const one of copies) await publish(store, one);
    const text = create(manifestNameOf(name));
    writeFileSync(text, `${JSON.stringify(manifest, undefined, 2)}\n`);
    await store.publish(manifestNameOf(name), text, await digestOfFile(text));
    return manifest;
  } catch (error) {
    return rethrowFault(error, `Writing ${store.placeOf(name)}`);
  } finally {
    for (const path of workFiles) removeWorkFile(path);
  }
}

async function publish(
  store: BackupStore,
  { name, copy, digest }: { readonly name: string; readonly copy: string; readonly digest: Digest },
): Promise<void> {
  await store.publish(name, copy, digest);
  if (isSameDigest(await store.digestOf(name), digest)) return;
  await store.remove(name);
  throw new Refusal(`${store.placeOf(name)} does not contain what was written to it. Check the storage.`);
}

/** Copies one state of the database. Neither readers nor writers wait meanwhile, because the database is in WAL mode. */
function copyDatabase(source: string, copy: string): void {
  const connection = openReadOnly(source);
  try {
    const { status, details = [] } = checkIntegrity(connection, 'quick_check');
    if (status !== 'ok') {
      throw new Refusal(
        `${source} is damaged, so no backup was made: ${details[0]}. Keep the earlier backups, and run "flagsvc-server check".`,
      );
    }
    connection.prepare('vacuum into ?').run(copy);
  } finally {
    connection.close();
  }
}

/** Opens the copy, checks it and describes it. */
async function verifyCopy(copy: string, secrets: Secrets): Promise<Described> {
  const connection = openReadOnly(copy);
  try {
    for (const { status, details = [] } of [
      checkIntegrity(connection, 'integrity_check'),
      checkForeignKeys(connection),
    ]) {
      if (status !== 'ok') throw new Refusal(`The copy has faults, so it was deleted: ${details[0]}.`);
    }
    const described = await describeDatabase(connection);
    if ('secret_marks' in described.tables) await requireSecrets(connection, secrets);
    return described;
  } finally {
    connection.close();
  }
}

/** Checks the copy of the events and counts its rows. */
function verifyEvents(copy: string): Readonly<Record<string, number>> {
  const connection = openReadOnly(copy);
  try {
    const { status, details = [] } = checkIntegrity(connection, 'integrity_check');
    if (status !== 'ok') throw new Refusal(`The copy has faults, so it was deleted: ${details[0]}.`);
    return countRows(connection);
  } finally {
    connection.close();
  }
}

/** A backup that is signed with another secret cannot be restored with that of the server. */
async function requireSecrets(connection: Sqlite.Database, secrets: Secrets): Promise<void> {
  const { status, message } = await checkSecrets(queryOver(connection), secrets);
  if (status === 'failed') throw new Refusal(`No backup was made: ${message}.`);
}

interface Written {
  readonly context: OperatorContext;
  readonly store: BackupStore;
  readonly manifest: Manifest;
  readonly deleted: readonly string[];
}

function report({ context, store, manifest, deleted }: Written): Outcome {
  const { files, tables, created_at, environments, event_tables } = manifest;
  const [{ name, bytes, sha256 }, events] = files as [BackedUpFile, BackedUpFile?];
  const place = store.placeOf(name);
  return {
    lines: [
      `${place} contains the state of ${created_at}: ${rowsOf(tables)}, ${sizeOf(bytes)}. It has been read back and checked.`,
      ...(events === undefined
        ? explainMissingEvents(context)
        : [
            `${store.placeOf(events.name)} contains the events: ${rowsOf(event_tables!)}, ${sizeOf(events.bytes)}.`,
          ]),
      ...deleted.map((old) => `Deleted the older backup ${store.placeOf(old)}.`),
      `The backup does not contain ${SECRETS}. Keep them in a password manager, apart from the backups: without FLAGSVC_API_SECRET_KEY, it cannot be used.`,
    ],
    result: {
      backup: place,
      manifest: store.placeOf(manifestNameOf(name)),
      created_at,
      bytes,
      sha256,
      tables,
      environments,
      events:
        events === undefined ? null : { ...events, backup: store.placeOf(events.name), tables: event_tables },
      deleted: deleted.map((old) => store.placeOf(old)),
    },
  };
}

function rowsOf(tables: Readonly<Record<string, number>>): string {
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  return `${countOf(rows, 'row')} in ${countOf(Object.keys(tables).length, 'table')}`;
}

function explainMissingEvents({ eventsUrl }: OperatorContext): readonly string[] {
  if (!isPostgresUrl(eventsUrl)) return [];
  return [`The events are in ${withoutSecrets(eventsUrl)}. Back that database up with pg_dump.`];
}
