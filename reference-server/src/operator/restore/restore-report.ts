import { withoutSecrets } from '../../storage/database-url.ts';
import type { Described } from '../backup/describe.ts';
import type { BackedUpEnvironment } from '../backup/manifest.ts';
import type { Outcome } from '../command.ts';
import type { FoundBackup } from './find-backup.ts';

/** What a restore did. */
export interface Restored {
  readonly found: FoundBackup;
  readonly path: string;
  /** The file with the events of the backup; undefined if the events were left as they are. */
  readonly events: string | undefined;
  readonly eventsUrl: string;
  /** The environments of the replaced database; empty if there was none or it could not be read. */
  readonly before: readonly BackedUpEnvironment[];
  readonly described: Described;
  /** The files of the replaced database. */
  readonly kept: readonly string[];
  readonly tookMs: number;
}

export function reportRestore(restored: Restored): Outcome {
  const { found, path, events, before, described, kept, tookMs } = restored;
  const { store, name, manifest } = found;
  const backup = store.placeOf(name);
  const state = manifest === undefined ? backup : `${backup}, the state of ${manifest.created_at}`;
  const environments = described.environments.map((environment) => ({
    ...environment,
    version_before: before.find(({ id }) => id === environment.id)?.version ?? null,
  }));
  const since = manifest === undefined ? 'after the copy was made' : `after ${manifest.created_at}`;
  return {
    lines: [
      `${path} now contains ${state}. It took ${(tookMs / 1_000).toFixed(1)} s.`,
      explainEvents(restored),
      ...environments.map(({ project, key, version, version_before }) => {
        const was = version_before === null ? '' : ` (was ${version_before})`;
        return `  ${project}/${key}: ruleset version ${version}${was}`;
      }),
      'Every ruleset has a new epoch, so clients take it even if its version went back.',
      ...(kept.length === 0
        ? []
        : [`The replaced database is kept as ${kept.join(', ')}. Delete it when you no longer need it.`]),
      `Users, API keys, tokens and sessions that were revoked ${since} work again. Revoke them again.`,
      'Start the server now.',
    ],
    result: {
      database: path,
      events: events ?? null,
      backup,
      created_at: manifest?.created_at ?? null,
      flagsvc_version: manifest?.flagsvc_version ?? null,
      environments,
      kept,
      took_ms: tookMs,
    },
  };
}

function explainEvents({ events, eventsUrl }: Restored): string {
  if (events !== undefined) return `${events} contains the events of the same backup.`;
  const place = withoutSecrets(eventsUrl);
  return `The backup contains no events for ${place}, which stays as it is: events there may be older or newer than the rest.`;
}
