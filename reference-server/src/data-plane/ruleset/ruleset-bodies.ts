import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { BodyCoding, BodyType, PublishedRuleset } from '../ports.ts';

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);

/**
 * Quality 11 takes a hundred times as long as 5 and saves a tenth of the size; a version may live for only a few
 * seconds.
 */
const BROTLI_QUALITY = 5;

/** The bodies of GET /sdk/ruleset by type and coding, each made once; `write` makes the uncompressed ones. */
export function createBodies(write: (type: BodyType) => Promise<Uint8Array>): PublishedRuleset['body'] {
  const bodies = new Map<string, Uint8Array | Promise<Uint8Array>>();

  const body = (type: BodyType, coding: BodyCoding): Uint8Array | Promise<Uint8Array> => {
    const form = `${type} ${coding}`;
    const known = bodies.get(form);
    if (known !== undefined) return known;
    const making = make(type, coding);
    bodies.set(form, making);
    making.then(
      (bytes) => bodies.set(form, bytes),
      () => bodies.delete(form),
    );
    return making;
  };

  const make = async (type: BodyType, coding: BodyCoding): Promise<Uint8Array> => {
    if (coding === 'identity') return write(type);
    const bytes = await body(type, 'identity');
    return coding === 'gzip'
      ? compressGzip(bytes)
      : compressBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
  };

  return body;
}
