import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { PublishedRuleset } from '../ports.ts';
import type { SigningKey } from './ruleset-signer.ts';

/** Why a signature does not prove that the server made the ruleset. */
export type SignatureFault = 'missing' | 'unknown key' | 'wrong';

/** Checks signatures that `RulesetSigner` made. */
export interface RulesetVerifier {
  /** Why the signature is not valid; undefined when it is. */
  faultOf(
    published: PublishedRuleset,
    signature: string | null | undefined,
  ): Promise<SignatureFault | undefined>;
}

/** The public key as the server publishes it, made from its 32 bytes in base64url. Throws for any other text. */
export function toSigningKey(x: string): SigningKey {
  const key: SigningKey = { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: kidOf(x), x };
  toKeyObject(key);
  return key;
}

/** Throws when a key is not a public Ed25519 key. */
export function createRulesetVerifier(keys: readonly SigningKey[]): RulesetVerifier {
  const byKid = new Map(keys.map((key) => [key.kid, toKeyObject(key)]));
  return {
    async faultOf(published, signature) {
      if (!signature) return 'missing';
      const [kid = '', bytes = ''] = signature.split('.');
      const key = byKid.get(kid);
      if (key === undefined) return 'unknown key';
      const isRight = verify(null, await published.digest(), key, Buffer.from(bytes, 'base64url'));
      return isRight ? undefined : 'wrong';
    },
  };
}

function kidOf(x: string): string {
  return createHash('sha256').update(x).digest('hex').slice(0, 16);
}

function toKeyObject({ kty, crv, x }: SigningKey): KeyObject {
  return createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
}
