import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from 'node:crypto';

/** `hmac` signs with a shared secret, `ed25519` with a private key whose public key is published. */
export const SIGNINGS = ['hmac', 'ed25519'] as const;
export type Signing = (typeof SIGNINGS)[number];

/** The key of a webhook. */
export interface SigningKey {
  /** `whsec_` and 32 random bytes for hmac, a private key in base64 PKCS #8 for ed25519. */
  readonly secret: string;
  /** `whpk_` and 32 bytes; null for hmac. */
  readonly publicKey: string | null;
}

export function generateSigningKey(signing: Signing): SigningKey {
  if (signing === 'hmac') {
    return { secret: `whsec_${randomBytes(32).toString('base64')}`, publicKey: null };
  }
  const { privateKey } = generateKeyPairSync('ed25519');
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { secret, publicKey: `whpk_${Buffer.from(x!, 'base64url').toString('base64')}` };
}

/**
 * The headers of the Standard Webhooks specification; the signature covers the exact bytes of the body. During a
 * rotation there are two secrets, and so two signatures.
 */
export function signMessage(
  message: { readonly id: string; readonly body: string; readonly timestampSeconds: number },
  signing: Signing,
  secrets: readonly string[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const { id, body, timestampSeconds } = message;
  const content = `${id}.${timestampSeconds}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets.map((secret) => signatureOf(content, signing, secret)).join(' '),
  };
}

function signatureOf(content: string, signing: Signing, secret: string): string {
  if (signing === 'hmac') {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  }
  const key = createPrivateKey({ key: Buffer.from(secret, 'base64'), format: 'der', type: 'pkcs8' });
  return `v1a,${sign(null, Buffer.from(content), key).toString('base64')}`;
}
