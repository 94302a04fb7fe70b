import type { Implementation } from '../report/results.ts';

/** Version of the message set; `hello` carries it. */
export const PROTOCOL = 1;

/** What the tested side says of itself. */
export interface Hello extends Implementation {
  readonly language: string;
  readonly runtime: string;
  /** Revisions of bucketing that it knows. */
  readonly bucketing: readonly number[];
  readonly capabilities: readonly Capability[];
}

/**
 * What an adapter can be asked for.
 *
 * - `evaluate`: rulesets, contexts, results
 * - `polling`: a client that fetches; `events`: it reports; `sse`: it listens to the stream
 * - `clock`: its time is ours to move
 * - `track`: it records what users did; `bootstrap`: it starts from a given ruleset
 * - `process`: it is a process of its own, which ends by itself; `memory`: it can tell its heap
 * - `workers`: threads with a memory of their own, where it makes clients, too; `fork`: it can make a child process
 * - extras: `bucket`: the hash and the bucket alone; `gzip`: it packs long batches; `strict-utf8`: it refuses bytes
 *   that are no UTF-8; `stream-rulesets`: it takes small rulesets with the news of the stream
 */
export type Capability =
  | 'evaluate'
  | 'bucket'
  | 'polling'
  | 'events'
  | 'sse'
  | 'clock'
  | 'track'
  | 'bootstrap'
  | 'process'
  | 'memory'
  | 'workers'
  | 'fork'
  | 'gzip'
  | 'strict-utf8'
  | 'stream-rulesets'
  | (string & {});

/** What a platform may lack altogether; anything else that is not claimed is a gap (decisions/0042). */
const OF_THE_PLATFORM: readonly Capability[] = ['process', 'memory', 'workers', 'fork'];
/** What nobody owes. */
export const EXTRAS: readonly Capability[] = ['bucket', 'gzip', 'strict-utf8', 'stream-rulesets'];

/** A request without its `seq`, which the session adds. */
export interface Request {
  readonly cmd: string;
  readonly [name: string]: unknown;
}

/** One answer. The first three are the adapter's, the last one is what we say when none came. */
export type Answer =
  | { readonly kind: 'ok'; readonly value: unknown }
  | { readonly kind: 'skipped'; readonly reason: string; readonly issue: string | null }
  | { readonly kind: 'error'; readonly error: string; readonly message: string }
  | { readonly kind: 'crash'; readonly message: string };

/** Reads what an adapter answered. Throws with a sentence for its author when it is not an answer. */
export const parseAnswer = (text: string): { readonly seq: unknown; readonly answer: Answer } => {
  const message = parseLine(text);
  const kinds = ['ok', 'skipped', 'error'].filter((name) => Object.hasOwn(message, name));
  if (kinds.length !== 1) {
    throw new Error(`an answer has exactly one of ok, skipped, error; this one has ${kinds.length}: ${text}`);
  }
  const seq = message['seq'];
  if (kinds[0] === 'ok') return { seq, answer: { kind: 'ok', value: message['ok'] } };
  const { reason, issue, kind, message: words } = (message[kinds[0]!] ?? {}) as Record<string, string>;
  return {
    seq,
    answer:
      kinds[0] === 'skipped'
        ? { kind: 'skipped', reason: reason || 'no reason given', issue: issue ?? null }
        : { kind: 'error', error: kind || 'Error', message: words ?? '' },
  };
};

const parseLine = (text: string): Record<string, unknown> => {
  try {
    const message: unknown = JSON.parse(text);
    if (typeof message === 'object' && message !== null) return message as Record<string, unknown>;
  } catch {
    // Said below, in words that help.
  }
  throw new Error(`not a JSON object (free text belongs to stderr): ${text.slice(0, 200)}`);
};

/** Reads the answer to `hello`. Throws with a sentence for the adapter's author. */
export const parseHello = (value: unknown): Hello => {
  const hello = (value ?? {}) as Record<string, unknown>;
  for (const name of ['name', 'version', 'language', 'runtime']) {
    if (typeof hello[name] !== 'string' || hello[name] === '') {
      throw new Error(`the answer to hello needs a text "${name}"`);
    }
  }
  for (const name of ['bucketing', 'capabilities']) {
    if (!Array.isArray(hello[name])) throw new Error(`the answer to hello needs a list "${name}"`);
  }
  const lacking = hello['inapplicable'] ?? {};
  for (const [name, reason] of Object.entries(lacking)) {
    if (!OF_THE_PLATFORM.includes(name)) {
      throw new Error(
        `"${name}" cannot be inapplicable, only ${OF_THE_PLATFORM.join(', ')}; leave it out of "capabilities"`,
      );
    }
    if (typeof reason !== 'string' || reason === '') {
      throw new Error(`"inapplicable" in the answer to hello needs a reason for "${name}"`);
    }
  }
  return hello as unknown as Hello;
};
