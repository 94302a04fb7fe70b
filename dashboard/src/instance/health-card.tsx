import { Badge } from '../ui/badge.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { Card, Facts, Notice, Skeleton } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import styles from './instance.module.css';
import { t } from './messages.ts';
import { type Status, useStatus } from './use-instance.ts';

/** Database, e-mail, metrics and nightly jobs. */
export function HealthCard() {
  const { status, problem, retry } = useStatus(true);
  if (problem) return <ErrorState problem={problem} onRetry={retry} />;
  if (status === undefined)
    return (
      <Card title={t.health}>
        <Skeleton lines={6} />
      </Card>
    );
  const { database, metrics_port: port, nightly_jobs: jobs } = status;
  return (
    <Card title={t.health}>
      <Stack>
        {jobs.some(({ late }) => late) && (
          <Notice tone="warn" title={t.lateTitle}>
            {t.lateText}
          </Notice>
        )}
        <Facts
          facts={[
            [t.database, `${t.engines[database.engine]} ${database.version}`],
            [t.mail, <MailState key="mail" mail={status.mail} />],
            [
              t.metrics,
              port === null ? (
                <Note key="metrics" tone="muted">
                  {t.noMetrics}
                </Note>
              ) : (
                t.metricsAt(port)
              ),
            ],
          ]}
        />
        {jobs.length === 0 ? <Note tone="faint">{t.noJobs}</Note> : <Jobs jobs={jobs} />}
      </Stack>
    </Card>
  );
}

function MailState({ mail }: Pick<Status, 'mail'>) {
  const { configured, waiting, oldest_at: oldest } = mail;
  if (!configured) return <Note tone="muted">{t.mailOff}</Note>;
  if (oldest === null) return t.mailIdle;
  return (
    <Note tone="warn">
      {t.mailWaits(waiting)} <Time at={oldest} />
    </Note>
  );
}

function Jobs({ jobs }: { readonly jobs: Status['nightly_jobs'] }) {
  return (
    <table className={styles.table} aria-label={t.jobs}>
      <thead>
        <tr>
          <th scope="col">{t.jobs}</th>
          <th scope="col">{t.job.last}</th>
          <th scope="col">{t.job.next}</th>
          <th scope="col">{t.job.state}</th>
        </tr>
      </thead>
      <tbody>
        {jobs.map(({ name, last_run_at: last, due_at: due, late }) => (
          <tr key={name}>
            <th scope="row">{t.jobNames[name] ?? name}</th>
            <td>{last === null ? <Note tone="faint">{t.neverRan}</Note> : <Time at={last} />}</td>
            <td>
              <Time at={due} />
            </td>
            <td>{late ? <Badge tone="warn">{t.late}</Badge> : <Note tone="faint">{t.onTime}</Note>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
