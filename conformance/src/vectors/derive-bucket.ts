import type { Answer } from '../adapter/messages.ts';
import type { Session } from '../adapter/session.ts';
import type { BucketRow } from '../suite/suite.ts';

/** One variation per bucket, each with one percent, so that the served variation reveals the bucket. */
const ROLLOUT = Array.from({ length: 100 }, (_, bucket) => ({ variation: `b${bucket}`, percentage: 1 }));
const VARIATIONS = [
  ...ROLLOUT.map(({ variation }) => ({ key: variation, value: variation })),
  { key: 'none', value: 'none' },
];

const toFlag = (key: string, revision: number) => ({
  key,
  flag_type: 'string',
  enabled: true,
  variations: VARIATIONS,
  default_variation: 'none',
  targeting_rules: [
    {
      id: 'rule_1',
      priority: 1,
      conditions: [],
      percentage_rollout: ROLLOUT,
      ...(revision !== 1 && { bucketing: revision }),
    },
  ],
});

/**
 * Derives buckets from the served variations, for adapters without the command `bucket`. A row with an empty user key
 * passes if nothing is served, because such a user has no bucket (EV-46).
 */
export const deriveBuckets = async (session: Session, rows: readonly BucketRow[]): Promise<Answer[]> => {
  const answers = new Map<BucketRow, Answer>();
  for (const [revision, mine] of Map.groupBy(rows, (row) => row.revision)) {
    const flags = [...new Set(mine.map(({ flag }) => flag))].map((key) => toFlag(key, revision));
    const ruleset = {
      version: 1,
      environment_id: 'env_1',
      flags,
      segments: [],
      fetched_at: '2026-01-01T00:00:00Z',
    };
    const loaded = await session.ask({ cmd: 'load', ruleset });
    const calls = mine.map(({ flag, user }) => ({ flag, context: { user_key: user } }));
    const answered = loaded.kind === 'ok' ? await session.ask({ cmd: 'evaluate', calls }) : loaded;
    const results =
      answered.kind === 'ok'
        ? (answered.value as { results?: { variation_key?: string }[] }).results
        : undefined;
    mine.forEach((row, at) => {
      answers.set(row, results ? toAnswer(row, results[at]?.variation_key) : answered);
    });
  }
  return rows.map((row) => answers.get(row)!);
};

const toAnswer = ({ user, bucket }: BucketRow, served: string | undefined): Answer =>
  user === '' && served === 'none'
    ? { kind: 'ok', value: { bucket } }
    : { kind: 'ok', value: { bucket: served?.startsWith('b') ? Number(served.slice(1)) : (served ?? null) } };
