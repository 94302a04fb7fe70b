import type { PublishedRuleset, RulesetVerifier, ServingPath } from '@flagsvc/reference-server/data-plane';
import type { Ruleset } from '@flagsvc/sdk-core';
import type { JsonFile } from '../platform/json-file.ts';

/** A ruleset as the server sent it. */
export interface ReceivedRuleset {
  readonly data: unknown;
  readonly tag: string | null;
  readonly signature: string | null;
  /** Absent for a server that does not send it. */
  readonly epoch: string | null;
}

/** Why a received ruleset was not used. The one before it stays. */
export type RulesetRefusal =
  | 'not a ruleset'
  | 'another environment'
  | 'older than the one in use'
  | 'not signed'
  | 'signed by an unknown key'
  | 'changed after it was signed';

/** The newest good ruleset of one view of an environment. */
export interface RulesetView {
  current(): PublishedRuleset | undefined;
  /** The tag to send as `If-None-Match`; null when there is no ruleset. */
  tag(): string | null;
  signatureOf(published: PublishedRuleset): string | undefined;
  /** Uses a received ruleset and saves it, or says why not. */
  accept(received: ReceivedRuleset, verifier: RulesetVerifier): Promise<RulesetRefusal | undefined>;
  /** Uses the ruleset on disk, if there is a good one. */
  restore(verifier: RulesetVerifier): Promise<RulesetRefusal | undefined>;
}

export interface RulesetViewOptions {
  readonly environmentId: string;
  readonly prepare: ServingPath['prepare'];
  readonly file: JsonFile;
}

const SIGNATURE_REFUSALS = {
  missing: 'not signed',
  'unknown key': 'signed by an unknown key',
  wrong: 'changed after it was signed',
} as const satisfies Record<string, RulesetRefusal>;

export function createRulesetView({ environmentId, prepare, file }: RulesetViewOptions): RulesetView {
  /** What is served, and what `prepare` made, from which the next version reuses parts. */
  let served: { readonly published: PublishedRuleset; readonly prepared: PublishedRuleset } | undefined;
  const signatures = new WeakMap<PublishedRuleset, string>();

  const use = async (
    { data, tag, signature, epoch }: ReceivedRuleset,
    verifier: RulesetVerifier,
  ): Promise<RulesetRefusal | undefined> => {
    if (!isRuleset(data) || tag === null || ![tag, signature, epoch].every(isHeaderText))
      return 'not a ruleset';
    if (data.environment_id !== environmentId) return 'another environment';
    const before = served;
    const prepared = await prepare(data, epoch ?? '', before?.prepared);
    const fault = await verifier.faultOf(prepared, signature);
    if (fault !== undefined) return SIGNATURE_REFUSALS[fault];
    // Within an epoch, versions only grow; a restored backup begins a new epoch.
    const held = before?.prepared;
    if (held !== undefined && held.epoch === prepared.epoch && prepared.version < held.version) {
      return 'older than the one in use';
    }
    // A newer server may derive tags differently; clients get the server's tag in any case.
    const published = prepared.etag === tag ? prepared : { ...prepared, etag: tag };
    signatures.set(published, signature!);
    await published.prepareBodies?.();
    served = { published, prepared };
    return undefined;
  };

  return {
    current: () => served?.published,
    tag: () => served?.published.etag ?? null,
    signatureOf: (published) => signatures.get(published),
    async accept(received, verifier) {
      const refusal = await use(received, verifier);
      if (refusal === undefined) file.write(received);
      return refusal;
    },
    async restore(verifier) {
      const saved = (await file.read()) as Partial<ReceivedRuleset> | undefined;
      if (saved === undefined) return undefined;
      const { data, tag, signature, epoch } = Object(saved) as Partial<ReceivedRuleset>;
      return use({ data, tag: textOf(tag), signature: textOf(signature), epoch: textOf(epoch) }, verifier);
    },
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Each answer repeats these texts as headers, which take no other characters. */
function isHeaderText(text: string | null): boolean {
  return text === null || /^[\x21-\x7e]*$/.test(text);
}

function isRuleset(data: unknown): data is Ruleset {
  const { version, environment_id, flags, segments } = Object(data) as Partial<Ruleset>;
  return (
    Number.isInteger(version) &&
    typeof environment_id === 'string' &&
    Array.isArray(flags) &&
    Array.isArray(segments)
  );
}
