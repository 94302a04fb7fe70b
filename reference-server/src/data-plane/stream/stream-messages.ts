import type { PublishedRuleset } from '../ports.ts';

/**
 * Why a stream ends: the server stops; the key was revoked or has expired; the key was rotated and the grace period of
 * this secret is over; or the client reads too slowly (decisions/0014).
 */
export type GoodbyeReason = 'shutdown' | 'key_revoked' | 'rotated' | 'overload';

/** The messages of a stream: our own format, or another protocol's. */
export interface StreamDialect {
  readonly name: string;
  /** Notifies of a new version; `changedFlags` is empty when unknown. */
  updated(published: PublishedRuleset, changedFlags: readonly string[], refetchWithinMs: number): string;
  /** Like `updated`, but with the ruleset itself; used for small rulesets. Absent: clients fetch every ruleset. */
  snapshot?(published: PublishedRuleset, changedFlags: readonly string[], ruleset: string): string;
  /** States the current version, once a minute. */
  heartbeat(published: PublishedRuleset, serverTime: string): string;
  /** Notifies a relay that this key was revoked or changed; undefined: any key. Absent: not a relay's stream. */
  keysChanged?(keyId: string | undefined): string;
  /** The last message. The client may reconnect after `retryMs`. */
  goodbye(reason: GoodbyeReason, retryMs: number): string;
}

/** `GET /sdk/stream`. */
export const flagsvcDialect: StreamDialect = {
  name: 'flagsvc',
  updated({ environmentId, version, etag }, changedFlags, refetchWithinMs) {
    const data = {
      environment_id: environmentId,
      version,
      etag,
      changed_flags: changedFlags,
      refetch_within_ms: refetchWithinMs,
    };
    return `id: ${version}\nevent: ruleset.updated\ndata: ${JSON.stringify(data)}\n\n`;
  },
  // Includes the tag, because a restored backup may reach the same version with other contents.
  heartbeat({ version, etag }, serverTime) {
    const data = { version, etag, server_time: serverTime };
    return `event: heartbeat\ndata: ${JSON.stringify(data)}\n\n`;
  },
  goodbye(reason, retryMs) {
    return `event: goodbye\ndata: ${JSON.stringify({ reason, retry_ms: retryMs })}\n\n`;
  },
};

/** `GET /sdk/stream?mode=full`. */
export const fullDialect: StreamDialect = {
  ...flagsvcDialect,
  name: 'flagsvc full',
  snapshot({ environmentId, version, etag }, changedFlags, ruleset) {
    const data = { environment_id: environmentId, version, etag, changed_flags: changedFlags };
    return `id: ${version}\nevent: ruleset.snapshot\ndata: ${JSON.stringify(data).slice(0, -1)},"ruleset":${ruleset}}\n\n`;
  },
};

/** `GET /relay/stream`: the same messages, and `keys.changed`. */
export function forRelays(dialect: StreamDialect): StreamDialect {
  return RELAY_DIALECTS.get(dialect)!;
}

const RELAY_DIALECTS: ReadonlyMap<StreamDialect, StreamDialect> = new Map(
  [flagsvcDialect, fullDialect].map((dialect) => [
    dialect,
    {
      ...dialect,
      name: `${dialect.name} for relays`,
      keysChanged: (keyId) => `event: keys.changed\ndata: ${JSON.stringify({ key_id: keyId ?? null })}\n\n`,
    },
  ]),
);
