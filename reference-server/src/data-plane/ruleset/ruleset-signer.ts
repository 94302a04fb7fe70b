import { createHash, createPrivateKey, createPublicKey, hkdfSync, sign } from 'node:crypto';
import type { PublishedRuleset } from '../ports.ts';

/** A public key as a JSON Web Key (RFC 8037), for checking signatures. */
export interface SigningKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly alg: 'EdDSA';
  readonly use: 'sig';
  readonly kid: string;
  readonly x: string;
}

/** Signs rulesets, so that clients can verify that a ruleset from a relay or a cache came from this server. */
export interface RulesetSigner {
  /**
   * The header `X-FlagSvc-Signature`: `<kid>.<Ed25519 in base64url>`, over the 32-byte SHA-256 of the ruleset's canonical
   * JSON (RFC 8785) without `fetched_at`. A promise only on first use.
   */
  sign(published: PublishedRuleset): string | Promise<string>;
  /** Served at `/.well-known/flagsvc-ruleset-keys.json`. */
  readonly keys: readonly SigningKey[];
}

/** The bytes before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Derives the key from `FLAGSVC_API_SECRET_KEY`: nothing is stored, and servers with the same secret sign with the same
 * key.
 */
export function createRulesetSigner(apiSecretKey: string): RulesetSigner {
  const seed = Buffer.from(hkdfSync('sha256', apiSecretKey, '', 'flagsvc ruleset signatures', 32));
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const kid = createHash('sha256').update(x).digest('hex').slice(0, 16);
  const signatures = new WeakMap<PublishedRuleset, string | Promise<string>>();
  const make = async (published: PublishedRuleset): Promise<string> => {
    const signature = `${kid}.${sign(null, await published.digest(), key).toString('base64url')}`;
    signatures.set(published, signature);
    return signature;
  };
  return {
    sign(published) {
      const known = signatures.get(published);
      if (known !== undefined) return known;
      const making = make(published);
      signatures.set(published, making);
      return making;
    },
    keys: [{ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid, x }],
  };
}
