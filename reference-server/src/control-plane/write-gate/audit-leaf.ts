import { createHash } from 'node:crypto';
import type { Json } from '@flagsvc/sdk-core';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { NewAuditEntry } from './audit-entry.ts';
import type { Changes } from './diff.ts';

/**
 * Part of every leaf. Raise it whenever the members of a leaf change, because older leaves keep their members and
 * hashes.
 */
export const LEAF_VERSION = 1;

/** Changed fields whose values identify a person. */
const PERSONAL_FIELDS: ReadonlySet<string> = new Set(['email', 'full_name', 'ended_by']);

/** Resources whose key is an e-mail address. */
const PERSONAL_KEYS: ReadonlySet<string> = new Set(['user', 'invitation', 'mail']);

/** The immutable columns of an audit entry: its content without personal fields, and the hash of this content. */
export function auditLeaf(entry: NewAuditEntry): {
  readonly content_json: string;
  readonly leaf_hash: string;
} {
  const content_json = canonicalJson(contentOf(entry) as Json);
  return { content_json, leaf_hash: createHash('sha256').update(content_json).digest('hex') };
}

/** People and programs appear by id alone. Comments are content: they state why, and are not erased. */
function contentOf({ actor, resource, ...entry }: NewAuditEntry): object {
  return {
    version: LEAF_VERSION,
    id: entry.id,
    organization_id: actor.organizationId,
    created_at: entry.at,
    action: entry.action,
    actor: { kind: actor.kind, id: actor.id, token_id: actor.tokenId ?? null },
    via: actor.origin.via,
    request_id: actor.origin.requestId,
    resource: {
      type: resource.type,
      id: resource.id,
      key: PERSONAL_KEYS.has(resource.type) ? null : (resource.key ?? null),
      revision: entry.revision,
    },
    project_id: resource.projectId ?? null,
    environment_id: resource.environmentId ?? null,
    is_shared: entry.isShared,
    changes: withoutPersonalFields(entry.changes),
    comment: entry.comment,
    break_glass_id: entry.breakGlassId,
  };
}

function withoutPersonalFields(changes: Changes): Changes {
  return Object.fromEntries(Object.entries(changes).filter(([field]) => !PERSONAL_FIELDS.has(field)));
}
