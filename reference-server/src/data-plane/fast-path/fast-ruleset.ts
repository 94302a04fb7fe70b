import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Json, Ruleset } from '@flagsvc/sdk-core';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { createTimeSlice, type TimeSlice } from '../../lib/time-slice.ts';
import { measure } from '../evaluate/measure.ts';
import type { BodyCoding, BodyType, PublishedRuleset } from '../ports.ts';
import { createAnswerWriter } from './answer-writer.ts';
import { createPagedEvaluator, createPages, type Pages } from './prepared-chunks.ts';
import { writeJson, writeMsgpack } from './ruleset-parts.ts';

/** A published ruleset that the next version can be made from. */
export interface MadeRuleset extends PublishedRuleset {
  readonly pages: Pages;
  /** What it was asked for, so that the next version has it ready. */
  readonly asked: { all: boolean; readonly forms: Set<`${BodyType} ${BodyCoding}`> };
  /** Resolves when the forms are there that the version before was asked for. */
  prepareForms(): Promise<void>;
}

const compress = { gzip: promisify(gzip), br: promisify(brotliCompress) };

/** Quality 11 takes a hundred times as long as 5 for a tenth of the size, and a version may live for seconds. */
const BROTLI_QUALITY = 5;

/**
 * Makes a compiled ruleset ready to be served: evaluator, entity tag and, each when first asked for, the bytes.
 * Nothing of it changes afterwards, `fetched_at` included: one identity, the same bytes (decisions/0037). What it has
 * in common with the version before is taken over, and requests are answered meanwhile (decisions/0037).
 */
export async function createPublishedRuleset(
  ruleset: Ruleset,
  epoch: string,
  previous?: MadeRuleset,
): Promise<MadeRuleset> {
  const isReadyForAll = previous?.asked.all === true;
  const pages = await createPages(ruleset, { previous: previous?.pages, isReadyForAll });
  const formsBefore = [...(previous?.asked.forms ?? [])];
  const { evaluate, evaluateInSteps } = createAnswerWriter(pages);
  const asked: MadeRuleset['asked'] = { all: false, forms: new Set() };
  const bodies = createBodies(pages);

  return {
    pages,
    asked,
    environmentId: ruleset.environment_id,
    epoch,
    version: ruleset.version,
    etag: `W/"${ruleset.version}-${sumOf(pages).slice(0, 16)}"`,
    digest: createDigest(pages),
    evaluator: createPagedEvaluator(pages),
    jsonBytes: bodies.jsonBytes,
    evaluate(flagKeys, ...rest) {
      asked.all ||= flagKeys === '*';
      return evaluate(flagKeys, ...rest);
    },
    evaluateInSteps(flagKeys, ...rest) {
      asked.all ||= flagKeys === '*';
      return evaluateInSteps(flagKeys, ...rest);
    },
    measure: (flagKeys, context) => measure(pages, flagKeys, context),
    body(type, coding) {
      asked.forms.add(`${type} ${coding}`);
      return bodies.body(type, coding);
    },
    async prepareForms() {
      await Promise.all(
        formsBefore.map((form) => {
          const [type, coding] = form.split(' ') as [BodyType, BodyCoding];
          return bodies.body(type, coding);
        }),
      );
    },
  };
}

/** Every form of the answer of GET /sdk/ruleset, each made once. */
function createBodies(pages: Pages): Pick<PublishedRuleset, 'body' | 'jsonBytes'> {
  const names = Object.keys(pages.ruleset);
  const json = writeJson(pages, names, '{"data":', '}');
  const bodies = new Map<string, Uint8Array | Promise<Uint8Array>>();

  const body = (type: BodyType, coding: BodyCoding): Uint8Array | Promise<Uint8Array> => {
    const name = `${type} ${coding}`;
    const known = bodies.get(name);
    if (known !== undefined) return known;
    const making = make(type, coding);
    bodies.set(name, making);
    making.then(
      (bytes) => bodies.set(name, bytes),
      () => bodies.delete(name),
    );
    return making;
  };

  const make = async (type: BodyType, coding: BodyCoding): Promise<Uint8Array> => {
    if (coding === 'identity')
      return join(type === 'json' ? json : writeMsgpack(pages, names), createTimeSlice());
    const bytes = await body(type, 'identity');
    // zlib works on its own threads; whoever asks meanwhile waits for the same bytes.
    return coding === 'gzip'
      ? compress.gzip(bytes)
      : compress.br(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
  };

  return { body, jsonBytes: lengthOf(json) };
}

/**
 * A SHA-256 over everything but `fetched_at`, from the pages' own: where they end depends on their keys alone, so that
 * one content has one sum, and a version costs what has changed and not all of its bytes (decisions/0037).
 */
function sumOf({ ruleset, list }: Pages): string {
  const { flags: _flags, fetched_at: _fetchedAt, ...rest } = ruleset;
  const sum = createHash('sha256').update(canonicalJson(rest as unknown as Json));
  return sum.update(Buffer.concat(list.map(({ digest }) => digest))).digest('hex');
}

/** The SHA-256 of the canonical JSON without `fetched_at`, made when first asked for, then kept. */
function createDigest(pages: Pages): () => Promise<Uint8Array> {
  const make = async (): Promise<Uint8Array> => {
    const slice = createTimeSlice();
    const names = Object.keys(pages.ruleset).filter((name) => name !== 'fetched_at');
    const sum = createHash('sha256');
    for (const part of writeJson(pages, names.sort())) {
      sum.update(part);
      if (slice.isOver()) await slice.yieldToOthers();
    }
    return sum.digest();
  };
  let digest: Promise<Uint8Array> | undefined;
  return () => {
    digest ??= make();
    return digest;
  };
}

async function join(parts: readonly Uint8Array[], slice: TimeSlice): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(lengthOf(parts));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
    if (slice.isOver()) await slice.yieldToOthers();
  }
  return bytes;
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}
