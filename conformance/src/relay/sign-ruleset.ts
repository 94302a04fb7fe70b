import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isObject } from '../suite/json-value.ts';

/** Signs rulesets as a server does, with a key of its own. */
export interface Signer {
  /** The value of `X-FlagSvc-Signature`. */
  sign(ruleset: Readonly<Record<string, unknown>>): string;
  /** The key as `/.well-known/flagsvc-ruleset-keys.json` lists it. */
  readonly jwk: Readonly<Record<string, string>>;
}

export const createSigner = (): Signer => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const kid = createHash('sha256').update(x).digest('hex').slice(0, 16);
  return {
    sign: (ruleset) => `${kid}.${signatureOf(ruleset, privateKey)}`,
    jwk: { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid, x },
  };
};

const signatureOf = (
  { fetched_at: _, ...ruleset }: Readonly<Record<string, unknown>>,
  key: KeyObject,
): string => {
  const digest = createHash('sha256').update(canonicalJson(ruleset)).digest();
  return sign(null, digest, key).toString('base64url');
};

/** JSON with sorted names and without white space (RFC 8785). */
const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  return `{${members.join(',')}}`;
};
