import { existsSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { type OperatorContext, Refusal } from '../command.ts';
import { rethrowFault } from '../faults.ts';
import { makeFolder } from '../files.ts';
import type { BackupStore, Target } from './backup-store.ts';
import { createFolderStore } from './folder-store.ts';
import { fileOfManifest } from './manifest.ts';

interface OpenOptions {
  readonly context: Pick<OperatorContext, 'env' | 'now'>;
  /** The folder for files on their way to or from a bucket. */
  readonly workFolder: string;
  /** Whether a missing folder is created. */
  readonly creates: boolean;
}

/** A name that ends like this is a file; anything else is a folder or a prefix. */
const FILE = /\.(db|sqlite3?)$/;

/**
 * Opens the place that an operator names: a folder, a file in a folder, `s3://bucket/prefix` or a file in a bucket.
 * The manifest of a file stands for the file. Throws Refusal if the place cannot be used.
 */
export async function openTarget(text: string, options: OpenOptions): Promise<Target> {
  if (text === '')
    throw new Refusal(
      'The target is empty. Name a folder, a file that ends with .db, or s3://bucket/prefix.',
    );
  if (/\p{Cc}/u.test(text)) throw new Refusal('The target contains a control character. Use another name.');
  if (/^s3:/i.test(text)) return openBucket(text, options);
  if (/^[a-z][\w+.-]*:\/\//i.test(text)) {
    throw new Refusal(
      `"${text.split(':', 1)[0]}://" is not supported. Name a folder, a file, or s3://bucket/prefix.`,
    );
  }
  return openFolder(text, options.creates);
}

function openFolder(text: string, creates: boolean): Target {
  const path = resolve(fileOfManifest(text) ?? text);
  const isFolder = text.endsWith('/') || isExistingFolder(path) || !FILE.test(path);
  const folder = isFolder ? path : dirname(path);
  try {
    const isFile = existsSync(folder) && !statSync(folder).isDirectory();
    if (isFile) throw new Refusal(`${folder} is not a folder. A file's name must end with .db.`);
    if (creates) makeFolder(folder);
    if (!existsSync(folder)) throw new Refusal(`${folder} does not exist.`);
  } catch (error) {
    rethrowFault(error, `Opening ${folder}`);
  }
  return { store: createFolderStore(folder), file: isFolder ? undefined : basename(path) };
}

function isExistingFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

async function openBucket(text: string, { context, workFolder }: OpenOptions): Promise<Target> {
  const [, bucket, path = ''] = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])(?:\/(.*))?$/.exec(text) ?? [];
  const isPath =
    !path.split('/').some((part) => part === '.' || part === '..') && !/^\/|\/\/|[?#]/.test(path);
  if (bucket === undefined || !isPath) {
    throw new Refusal(
      `"${text}" is not valid. Write s3://bucket or s3://bucket/prefix, such as s3://backups/flagsvc.`,
    );
  }
  const key = fileOfManifest(path) ?? path;
  const isFile = FILE.test(key);
  const cut = isFile ? key.lastIndexOf('/') + 1 : key.length;
  const folder = key.slice(0, cut);
  const prefix = folder === '' || folder.endsWith('/') ? folder : `${folder}/`;
  const { createS3Store } = await import('./s3-store.ts');
  const store: BackupStore = createS3Store({
    bucket,
    prefix,
    workFolder,
    env: context.env,
    now: context.now,
  });
  return { store, file: isFile ? key.slice(cut) : undefined };
}
