import {
  createRulesetVerifier,
  type RulesetVerifier,
  type SigningKey,
  toSigningKey,
} from '@flagsvc/reference-server/data-plane';
import type { JsonFile } from '../platform/json-file.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** The public keys whose signatures the relay accepts. */
export interface TrustedKeys {
  /** Asks the server for its keys if none are known yet. Undefined when it does not answer. */
  verifier(upstream: Pick<Upstream, 'fetchSigningKeys'>): Promise<RulesetVerifier | undefined>;
  /** Writes keys that came from the server to disk again: a ruleset there is of use only with them, and somebody may have emptied the folder. */
  save(): void;
  /** The known keys; empty until the server has answered. */
  list(): readonly SigningKey[];
}

/**
 * Trusts the given keys or, without any, those that the server had at the first start, which are kept in `file`: from
 * then on, another server or a changed answer cannot replace them.
 */
export async function createTrustedKeys(given: readonly string[], file: JsonFile): Promise<TrustedKeys> {
  let keys = given.length > 0 ? given.map(toSigningKey) : parseKeys(await file.read());
  let known = keys.length > 0 ? createRulesetVerifier(keys) : undefined;
  return {
    async verifier(upstream) {
      if (known !== undefined) return known;
      const found = parseKeys((await upstream.fetchSigningKeys()).body);
      // Another environment may have asked at the same time.
      if (known !== undefined || found.length === 0) return known;
      keys = found;
      known = createRulesetVerifier(keys);
      file.write({ keys });
      return known;
    },
    save() {
      if (given.length === 0 && keys.length > 0) file.write({ keys });
    },
    list: () => keys,
  };
}

/** The valid keys of a JWK set. */
function parseKeys(set: unknown): readonly SigningKey[] {
  const { keys } = Object(set) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) return [];
  return keys.flatMap((key) => {
    const { x } = Object(key) as { readonly x?: unknown };
    try {
      return typeof x === 'string' ? [toSigningKey(x)] : [];
    } catch {
      return [];
    }
  });
}
