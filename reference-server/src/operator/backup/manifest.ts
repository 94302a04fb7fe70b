import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Json } from '@flagsvc/sdk-core';
import { markOf } from '../../app/secrets.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { Refusal } from '../command.ts';
import type { Digest } from '../files.ts';

const FORMAT = 1;

/** The state of an environment's ruleset in a backup. */
export interface BackedUpEnvironment {
  readonly id: string;
  readonly project: string;
  readonly key: string;
  readonly version: number;
}

/** A file of a backup. */
export interface BackedUpFile extends Digest {
  readonly name: string;
}

/** What a backup contains. Stored beside it as `<name>.manifest.json`. */
export interface BackupContents {
  /** The state of this time is in the backup; ISO 8601. */
  readonly created_at: string;
  readonly flagsvc_version: string;
  /** The id of the oldest organization, which tells installations apart; empty before the first start. */
  readonly installation: string;
  readonly migrations: readonly string[];
  readonly files: readonly BackedUpFile[];
  /** The number of rows by table. */
  readonly tables: Readonly<Record<string, number>>;
  readonly environments: readonly BackedUpEnvironment[];
  /** The number of rows of the second file, which contains the events, by table. Absent: there is none. */
  readonly event_tables?: Readonly<Record<string, number>>;
}

export interface Manifest extends BackupContents {
  readonly format: number;
  /** Which API secret signed the manifest. */
  readonly secret_mark: string;
  /** HMAC-SHA256 of the other members as canonical JSON, with a key derived from the API secret. */
  readonly signature: string;
}

const SUFFIX = '.manifest.json';

export const manifestNameOf = (file: string): string => `${file}${SUFFIX}`;

/** The name of the file that a manifest describes; undefined if `name` is not that of a manifest. */
export function fileOfManifest(name: string): string | undefined {
  return name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : undefined;
}

export function signManifest(contents: BackupContents, apiSecretKey: string): Manifest {
  const unsigned = { ...contents, format: FORMAT, secret_mark: markOf(apiSecretKey) };
  return { ...unsigned, signature: signatureOf(unsigned, apiSecretKey) };
}

/** Parses and verifies a manifest. Throws Refusal if a newer version wrote it, or if it was changed. */
export function parseManifest(text: string, apiSecretKey: string): Manifest {
  const manifest = parseObject(text);
  const { format, secret_mark, signature, ...contents } = manifest;
  if (typeof format === 'number' && format > FORMAT) {
    throw new Refusal(
      `A newer version of flagsvc (${String(manifest['flagsvc_version'])}) made this backup, in a format that this version cannot read. Use that version or a later one.`,
    );
  }
  if (secret_mark !== markOf(apiSecretKey)) {
    throw new Refusal(
      'FLAGSVC_API_SECRET_KEY is not the one with which this backup was made. Set that one: without it, the API keys, tokens and webhooks in the backup do not work.',
    );
  }
  const expected = signatureOf({ ...contents, format, secret_mark }, apiSecretKey);
  if (!isSame(String(signature), expected)) {
    throw new Refusal('The manifest was changed after the backup was made. Use another backup.');
  }
  return manifest as unknown as Manifest;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) return parsed as Record<string, unknown>;
  } catch {
    // Refused below.
  }
  throw new Refusal('The manifest is damaged: it does not contain a JSON object. Use another backup.');
}

function signatureOf(unsigned: object, apiSecretKey: string): string {
  const key = Buffer.from(hkdfSync('sha256', apiSecretKey, '', 'flagsvc backup manifest', 32));
  return createHmac('sha256', key)
    .update(canonicalJson(unsigned as Json))
    .digest('hex');
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
