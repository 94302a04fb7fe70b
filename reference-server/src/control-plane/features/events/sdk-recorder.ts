import type { KeyGrant } from '../../../data-plane/ports.ts';
import type { SdkSeenTable } from '../../../storage/event-tables.ts';

/** An SDK that was written less than this time ago is only counted in memory. */
const WRITE_INTERVAL_MS = 30_000;
/** SDKs in memory; beyond, the one that was added first is forgotten. */
const SDKS_MAX = 10_000;
const TEXT_MAX = 100;

interface Sighting {
  writtenAtMs: number;
  requests: number;
}

/** Records which SDKs report events. */
export interface SdkRecorder {
  /** Writes at the first report and then at most every 30 seconds. Never throws. */
  record(grant: KeyGrant, sdk: { readonly name: string; readonly version: string }): Promise<void>;
}

export function createSdkRecorder({
  now,
  write,
  onError,
}: {
  readonly now: () => number;
  readonly write: (row: SdkSeenTable) => Promise<void>;
  readonly onError: (error: unknown) => void;
}): SdkRecorder {
  const sightings = new Map<string, Sighting>();

  function sightingOf(id: string): Sighting {
    const known = sightings.get(id);
    if (known !== undefined) return known;
    if (sightings.size >= SDKS_MAX) sightings.delete(sightings.keys().next().value!);
    const sighting = { writtenAtMs: Number.NEGATIVE_INFINITY, requests: 0 };
    sightings.set(id, sighting);
    return sighting;
  }

  return {
    async record(grant, sdk) {
      const [name, version] = [sdk.name.slice(0, TEXT_MAX), sdk.version.slice(0, TEXT_MAX)];
      const sighting = sightingOf(JSON.stringify([grant.keyId, name, version]));
      sighting.requests += 1;
      const time = now();
      if (time - sighting.writtenAtMs < WRITE_INTERVAL_MS) return;
      const { requests } = sighting;
      Object.assign(sighting, { writtenAtMs: time, requests: 0 });
      const at = new Date(time).toISOString();
      await write({
        organization_id: grant.organizationId,
        environment_id: grant.environmentId,
        key_id: grant.keyId,
        name,
        version,
        first_seen_at: at,
        last_seen_at: at,
        requests,
      }).catch(onError);
    },
  };
}
