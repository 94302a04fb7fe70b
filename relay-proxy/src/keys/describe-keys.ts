import type { KeyGrant, KeyKind } from '@flagsvc/reference-server/data-plane';
import type { Upstream } from '../upstream/upstream.ts';

/** The environment of a relay key. */
export interface Identity {
  readonly environmentId: string;
  readonly projectId: string;
  readonly organizationId: string;
}

/** What the server says about one API key. */
export type KeyAnswer =
  | { readonly status: 'active'; readonly grant: KeyGrant; readonly expiresAt: string | null }
  | { readonly status: 'rotated' | 'invalid' };

/** What the server says about several keys, in their order. */
export interface KeyAnswers {
  readonly identity: Identity;
  readonly keys: readonly KeyAnswer[];
}

/** The server's answer, or the status of its refusal; 0 when there was no answer. */
export type Described = KeyAnswers | { readonly refusedWith: number };

const KINDS: readonly KeyKind[] = ['server', 'client', 'relay'];

/** Asks the server about at most 100 keys of the environment of the relay's key. */
export async function describeKeys(
  upstream: Pick<Upstream, 'describeKeys'>,
  keys: readonly string[],
): Promise<Described> {
  const { status, body } = await upstream.describeKeys(keys);
  if (status !== 200) return { refusedWith: status };
  const { data } = Object(body) as { data?: Record<string, unknown> };
  const { environment_id, project_id, organization_id, keys: answers } = Object(data);
  const isRight = [environment_id, project_id, organization_id].every((id) => typeof id === 'string');
  if (!isRight || !Array.isArray(answers) || answers.length !== keys.length) return { refusedWith: 0 };
  const identity = { environmentId: environment_id, projectId: project_id, organizationId: organization_id };
  return { identity, keys: answers.map((answer) => parseAnswer(identity, Object(answer))) };
}

function parseAnswer(identity: Identity, answer: Record<string, unknown>): KeyAnswer {
  const { status, key_id, kind, expires_at, allowed_origins, allowed_ips, rate_limits } = answer;
  if (status === 'rotated') return { status };
  const isActive = status === 'active' && typeof key_id === 'string' && KINDS.includes(kind as KeyKind);
  if (!isActive) return { status: 'invalid' };
  return {
    status,
    expiresAt: typeof expires_at === 'string' ? expires_at : null,
    grant: {
      keyId: key_id,
      kind: kind as KeyKind,
      ...identity,
      ...(isFilled(allowed_origins) && { allowedOrigins: allowed_origins.map(String) }),
      ...(isFilled(allowed_ips) && { allowedIps: allowed_ips.map(String) }),
      ...(Object.keys(Object(rate_limits)).length > 0 && { rateLimits: Object(rate_limits) }),
    },
  };
}

function isFilled(list: unknown): list is readonly unknown[] {
  return Array.isArray(list) && list.length > 0;
}
