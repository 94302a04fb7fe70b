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

/** Asks the server about at most 100 keys of the environment of the relay's key, whose id may be known already. */
export async function describeKeys(
  upstream: Pick<Upstream, 'describeKeys'>,
  keys: readonly string[],
  environmentId?: string,
): Promise<Described> {
  const { status, body } = await upstream.describeKeys(keys);
  if (status !== 200) return { refusedWith: status };
  const { data } = Object(body) as { data?: Record<string, unknown> };
  const { environment_id, project_id, organization_id, keys: answers } = Object(data);
  const isRight = [environment_id, project_id, organization_id].every((id) => typeof id === 'string');
  if (environmentId !== undefined && environment_id !== environmentId) return { refusedWith: 0 };
  if (!isRight || !Array.isArray(answers) || answers.length !== keys.length) return { refusedWith: 0 };
  const identity = { environmentId: environment_id, projectId: project_id, organizationId: organization_id };
  const parsed = answers.map((answer) => parseAnswer(identity, Object(answer)));
  return parsed.every((answer) => answer !== undefined) ? { identity, keys: parsed } : { refusedWith: 0 };
}

/** Undefined if the answer cannot be read, which must neither end a key nor drop a restriction of it. */
function parseAnswer(identity: Identity, answer: Record<string, unknown>): KeyAnswer | undefined {
  const { status, key_id, kind, expires_at, allowed_origins, allowed_ips, rate_limits } = answer;
  if (typeof status !== 'string') return undefined;
  if (status !== 'active') return { status: status === 'rotated' ? status : 'invalid' };
  if (typeof key_id !== 'string' || !KINDS.includes(kind as KeyKind)) return undefined;
  if (!isTexts(allowed_origins) || !isTexts(allowed_ips) || !isLimits(rate_limits)) return undefined;
  return {
    status,
    expiresAt: typeof expires_at === 'string' ? expires_at : null,
    grant: {
      keyId: key_id,
      kind: kind as KeyKind,
      ...identity,
      ...(allowed_origins?.length && { allowedOrigins: allowed_origins }),
      ...(allowed_ips?.length && { allowedIps: allowed_ips }),
      ...(Object.keys(rate_limits ?? {}).length > 0 && { rateLimits: rate_limits }),
    },
  };
}

function isTexts(list: unknown): list is readonly string[] | undefined {
  return list === undefined || (Array.isArray(list) && list.every((text) => typeof text === 'string'));
}

function isLimits(limits: unknown): limits is KeyGrant['rateLimits'] {
  return limits === undefined || Object.values(Object(limits)).every(Number.isInteger);
}
