import type { FastifyInstance } from 'fastify';
import type { BackgroundJob } from '../control-plane/background/job.ts';
import type { Lease } from '../control-plane/background/lease.ts';
import { createBackground, type ObserveJob } from '../control-plane/background/runner.ts';
import { createSchedule } from '../control-plane/background/schedule.ts';
import type { StoredContextRecorder } from '../control-plane/features/recorded-contexts/context-recorder.ts';
import { createChangeWatcher } from '../publishing/change-watcher.ts';
import type { Publisher } from '../publishing/publish.ts';
import { createFailureLog } from './failure-log.ts';
import type { ServerSettings } from './server-deps.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Runs one pass of all background jobs and waits for the work that they start. */
    runBackground(): Promise<void>;
  }
}

/** How often to look for commits of other processes. Worst-case staleness is this plus the time to publish. */
const CHANGE_CHECK_INTERVAL_MS = 250;
/** How often a process stores recorded contexts and looks up which environments record contexts. */
const RECORDER_INTERVAL_MS = 10_000;

export interface BackgroundWork {
  readonly settings: Pick<ServerSettings, 'backgroundIntervalMs' | 'commitNotices' | 'db' | 'logger' | 'now'>;
  /** Held by the process that runs the jobs. */
  readonly lease: Lease;
  readonly jobs: readonly BackgroundJob[];
  readonly recorder: StoredContextRecorder;
  readonly publisher: Publisher;
  /** Called after commits of any process. */
  readonly onCommits: () => void;
  /** Wraps each run of a job. Absent: nothing is observed. */
  readonly observeJob?: ObserveJob | undefined;
}

/** Starts the background work if `backgroundIntervalMs` is set, and stops it when the app closes. */
export function runBackground(app: FastifyInstance, work: BackgroundWork): void {
  const { settings, lease, jobs, recorder, publisher } = work;
  const { db, logger, now, backgroundIntervalMs } = settings;
  const logFailure = createFailureLog(logger, now);
  const background = createBackground({
    jobs,
    lead: lease,
    schedule: createSchedule({ db, now }),
    observe: work.observeJob,
    onError: (err, job) => logFailure(err, 'background job failed', { job }),
  });
  app.decorate('runBackground', async () => {
    await background.runOnce();
    await background.settled();
    await recorder.refresh();
  });
  app.addHook('onClose', () => recorder.stop());
  app.addHook('onClose', () => background.stop());
  if (backgroundIntervalMs === undefined) return;
  const watcher = createChangeWatcher({
    db,
    publisher,
    onCommits: work.onCommits,
    listen: settings.commitNotices?.listen,
    onError: (err) => logFailure(err, 'checking for changes of other processes failed'),
  });
  app.addHook('onClose', () => watcher.stop());
  recorder.start(RECORDER_INTERVAL_MS);
  background.start(backgroundIntervalMs);
  watcher.start(CHANGE_CHECK_INTERVAL_MS);
}
