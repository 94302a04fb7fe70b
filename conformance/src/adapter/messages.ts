import type { Implementation } from '../report/results.ts';

/** Version of the adapter protocol, sent with `hello`. */
export const PROTOCOL = 1;

/** How an adapter describes itself. */
export interface Hello extends Implementation {
  readonly language: string;
  readonly runtime: string;
  /** Revisions of bucketing that the implementation knows. */
  readonly bucketing: readonly number[];
  readonly capabilities: readonly Capability[];
}

/**
 * What an adapter can do.
 *
 * - `evaluate`: it evaluates flags of a ruleset
 * - `polling`: it has a client that fetches and polls; `events`: the client reports events; `sse`: it uses the stream
 * - `clock`: the kit can move the client's time
 * - `track`: the client records what users did; `bootstrap`: it starts with a given ruleset
 * - `relay`: it starts a relay
 * - `process`: it is a process, which ends by itself; `memory`: it reports its heap size
 * - `workers`: it creates clients in worker threads too; `fork`: it can fork a child process
 * - extras: `bucket`: it computes hash and bucket; `gzip`: it compresses long batches; `strict-utf8`: it refuses bytes
 *   that are not UTF-8; `stream-rulesets`: it accepts small rulesets from the stream
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
  | 'relay'
  | 'process'
  | 'memory'
  | 'workers'
  | 'fork'
  | 'gzip'
  | 'strict-utf8'
  | 'stream-rulesets'
  | (string & {});

/**
 * Capabilities that a platform may lack altogether. Any other capability that is neither claimed nor an extra is a gap
 * (decisions/0042).
 */
const PLATFORM_CAPABILITIES: readonly Capability[] = ['process', 'memory', 'workers', 'fork'];
/** Capabilities that are optional for everyone. */
export const EXTRAS: readonly Capability[] = ['bucket', 'gzip', 'strict-utf8', 'stream-rulesets'];

/** A request without `seq`, which the session adds. */
export interface Request {
  readonly cmd: string;
  readonly [name: string]: unknown;
}

/** One answer. The first three come from the adapter; the kit reports `crash` if no answer came. */
export type Answer =
  | { readonly kind: 'ok'; readonly value: unknown }
  | { readonly kind: 'skipped'; readonly reason: string; readonly issue: string | null }
  | { readonly kind: 'error'; readonly error: string; readonly message: string }
  | { readonly kind: 'crash'; readonly message: string };

/** Parses an adapter's answer. Throws with a message for the adapter's author if it is invalid. */
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
    // Reported below, with a hint.
  }
  throw new Error(`not a JSON object (free text belongs on stderr): ${text.slice(0, 200)}`);
};

/** Parses the answer to `hello`. Throws with a message for the adapter's author if it is invalid. */
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
    if (!PLATFORM_CAPABILITIES.includes(name)) {
      throw new Error(
        `"${name}" cannot be inapplicable, only ${PLATFORM_CAPABILITIES.join(', ')}; leave it out of "capabilities"`,
      );
    }
    if (typeof reason !== 'string' || reason === '') {
      throw new Error(`"inapplicable" in the answer to hello needs a reason for "${name}"`);
    }
  }
  return hello as unknown as Hello;
};
