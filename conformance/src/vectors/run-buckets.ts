import { performance } from 'node:perf_hooks';
import type { Answer } from '../adapter/messages.ts';
import { type Adapter, describe, type Session } from '../adapter/session.ts';
import type { CaseHead, CaseResult } from '../report/results.ts';
import type { BucketRow } from '../suite/suite.ts';
import { deriveBuckets } from './derive-bucket.ts';

/** How a row of bucket.csv appears in a report. */
export const bucketHead = ({ id, revision, flag, user }: BucketRow): CaseHead => ({
  id,
  group: 'vectors/bucket.csv',
  title: `revision ${revision}: ${flag}:${user}`.slice(0, 120),
  requirements:
    revision === 1 ? ['bucket-seed', 'bucket-step', 'bucket-modulo', 'EV-42', 'EV-44'] : ['EV-42', 'EV-48'],
  level: revision === 1 ? 'stated' : 'decided',
});

const BATCH = 500;

/** Runs rows of bucket.csv in batches; calls `onCase` with each result. */
export const runBuckets = async (
  { session, hello }: Adapter,
  rows: readonly BucketRow[],
  onCase: (result: CaseResult) => void,
): Promise<void> => {
  for (let from = 0; from < rows.length; from += BATCH) {
    const part = rows.slice(from, from + BATCH);
    const known = part.filter(({ revision }) => hello.bucketing.includes(revision));
    const started = performance.now();
    const answers = new Map<BucketRow, Answer>();
    const answered = await askAll(session, known, hello.capabilities.includes('evaluate'));
    known.forEach((row, at) => {
      answers.set(row, answered[at]!);
    });
    const ms = (performance.now() - started) / part.length;
    for (const row of part) onCase(judge(row, answers.get(row), ms));
  }
};

const requestFor = ({ flag, user, revision }: BucketRow) => ({ flag, user, bucketing: revision });

const askAll = async (session: Session, rows: readonly BucketRow[], derive: boolean): Promise<Answer[]> => {
  if (rows.length === 0) return [];
  const batch = await session.ask({ cmd: 'bucket', calls: rows.map(requestFor) });
  const results = batch.kind === 'ok' && (batch.value as { results?: unknown } | null)?.results;
  if (Array.isArray(results) && results.length === rows.length) {
    return results.map((value): Answer => ({ kind: 'ok', value }));
  }
  if (batch.kind === 'skipped') return derive ? deriveBuckets(session, rows) : rows.map(() => batch);
  // The adapter has no batch form: one message per row, all at once.
  return Promise.all(rows.map((row) => session.ask({ cmd: 'bucket', ...requestFor(row) })));
};

const judge = (row: BucketRow, answer: Answer | undefined, ms: number): CaseResult => {
  const head = { ...bucketHead(row), ms, problems: [] };
  if (!answer)
    return {
      ...head,
      outcome: 'skip',
      reason: `the adapter does not know bucketing revision ${row.revision}`,
    };
  if (answer.kind === 'skipped') return { ...head, outcome: 'skip', reason: answer.reason };
  if (answer.kind === 'crash') return { ...head, outcome: 'crash', reason: answer.message };
  const expected = { hash: row.hash, bucket: row.bucket };
  const given = requestFor(row);
  if (answer.kind === 'error') {
    return {
      ...head,
      outcome: 'fail',
      problems: [{ where: 'bucket', given, expected, message: describe(answer) }],
    };
  }
  // The hash is optional; only the bucket affects users.
  const { hash = row.hash, bucket } = (answer.value ?? {}) as { hash?: unknown; bucket?: unknown };
  if (hash === row.hash && bucket === row.bucket) return { ...head, outcome: 'pass' };
  return {
    ...head,
    outcome: 'fail',
    problems: [{ where: 'bucket', given, expected, actual: answer.value }],
  };
};
