import { createWriteStream, openAsBlob, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Refusal, sizeOf } from '../command.ts';
import { digestOf } from '../files.ts';
import type { BackupStore } from './backup-store.ts';
import { createS3Client, type S3Options } from './s3-client.ts';

/** The most that S3 accepts in one request. */
const UPLOAD_MAX_BYTES = 5 * 1024 ** 3;

interface S3StoreOptions extends S3Options {
  /** Ends with a slash, unless it is empty. */
  readonly prefix: string;
  readonly workFolder: string;
}

/** Keeps backups in a bucket. The storage compares each upload with its hash, so a file is stored whole or not at all. */
export function createS3Store({ prefix, workFolder, ...options }: S3StoreOptions): BackupStore {
  const client = createS3Client(options);
  const placeOf = (name: string): string => `s3://${options.bucket}/${prefix}${name}`;
  const taken = (name: string) =>
    new Refusal(`${placeOf(name)} exists. Choose another name: backups are never overwritten.`);
  const has = async (name: string) =>
    (await client.send({ method: 'HEAD', key: `${prefix}${name}` })).status !== 404;
  const read = async (name: string): Promise<Response> => {
    const answer = await client.send({ method: 'GET', key: `${prefix}${name}` });
    if (answer.ok && answer.body !== null) return answer;
    throw new Refusal(`${placeOf(name)} does not exist.`);
  };

  return {
    placeOf,
    workFolder,
    has,
    async list() {
      const names: string[] = [];
      for (let token: string | undefined; ; ) {
        const query = {
          'list-type': '2',
          prefix,
          delimiter: '/',
          ...(token && { 'continuation-token': token }),
        };
        const answer = await client.send({ method: 'GET', key: '', query });
        if (!answer.ok) throw new Refusal(`The bucket ${options.bucket} does not exist.`);
        const text = await answer.text();
        for (const [, key] of text.matchAll(/<Key>([^<]*)<\/Key>/g))
          names.push(decodeEntities(key!).slice(prefix.length));
        token = /<NextContinuationToken>([^<]*)</.exec(text)?.[1];
        if (token === undefined) return names;
        token = decodeEntities(token);
      }
    },
    async publish(name, workFile, { bytes, sha256 }) {
      if (bytes > UPLOAD_MAX_BYTES) {
        throw new Refusal(
          `The backup has ${sizeOf(bytes)}, and one upload to S3 can have 5 GB. Back up to a folder, and copy it with "aws s3 cp".`,
        );
      }
      if (await has(name)) throw taken(name);
      const upload = {
        method: 'PUT',
        key: `${prefix}${name}`,
        body: await openAsBlob(workFile),
        sha256,
      } as const;
      let answer = await client.send({ ...upload, headers: { 'if-none-match': '*' } });
      // Some storages do not know the condition.
      if (answer.status === 501) answer = await client.send(upload);
      if (answer.status === 404) throw new Refusal(`The bucket ${options.bucket} does not exist.`);
      // The first of two attempts may have stored the file, although its answer was lost.
      if (answer.status === 412 && (await digestOf((await read(name)).body!)).sha256 !== sha256)
        throw taken(name);
      if (answer.status === 501) throw new Refusal(`${placeOf(name)}: the storage does not support uploads.`);
      rmSync(workFile);
    },
    digestOf: async (name) => digestOf((await read(name)).body!),
    readText: async (name) => (await read(name)).text(),
    async fetch(name, file) {
      const { body } = await read(name);
      await pipeline(Readable.fromWeb(body as never), createWriteStream(file));
    },
    async remove(name) {
      await client.send({ method: 'DELETE', key: `${prefix}${name}` });
    },
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
};

/** Replaces the entities of XML. */
function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|apos);|&#(\d+);|&#x([\da-f]+);/gi, (entity, decimal, hex) =>
    decimal === undefined && hex === undefined
      ? ENTITIES[entity.toLowerCase()]!
      : String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)),
  );
}
