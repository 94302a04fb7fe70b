import { lazy, Suspense, useState } from 'react';
import { toProblem } from '../api/problem.ts';
import type { AuditEntry, Segment } from '../api/types.ts';
import { useMemberNames } from '../app/scope/use-member-names.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Button } from '../ui/button.tsx';
import { Diff } from '../ui/diff.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Line, Note, Push, Stack } from '../ui/layout.tsx';
import { Link } from '../ui/link.tsx';
import { Card, Skeleton } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { t } from './messages.ts';
import { historyLines } from './segment-words.ts';
import styles from './segments.module.css';
import { useHistory } from './use-segments.ts';

const RestoreDialog = lazy(async () => ({ default: (await import('./restore-dialog.tsx')).RestoreDialog }));

/** The latest changes, in the words of the page, with the way back to each. */
export function HistoryCard({ segment, canEdit }: { readonly segment: Segment; readonly canEdit: boolean }) {
  const { data, error, refetch } = useHistory(segment.id);
  const [revision, setRevision] = useState<number>();
  return (
    <Card title={t.history}>
      {error && <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={4} />}
      {data?.length === 0 && <Note tone="faint">{t.noHistory}</Note>}
      <ul className={styles.list}>
        {data?.map((entry) => (
          <Entry
            key={entry.id}
            entry={entry}
            onRestore={canEdit && afterOf(entry) < segment.revision ? setRevision : undefined}
          />
        ))}
      </ul>
      {revision !== undefined && (
        <Suspense>
          <RestoreDialog segment={segment} revision={revision} onClose={() => setRevision(undefined)} />
        </Suspense>
      )}
    </Card>
  );
}

/** The revision that the change made; its creation made the first. */
const afterOf = ({ revision }: AuditEntry): number => (revision ?? 0) + 1;

function Entry(props: {
  readonly entry: AuditEntry;
  readonly onRestore: ((revision: number) => void) | undefined;
}) {
  const { entry, onRestore } = props;
  const { hrefTo } = useScope();
  const nameOf = useMemberNames();
  const { actor } = entry;
  return (
    <li>
      <Stack gap="close">
        <Line>
          <Link href={hrefTo('changes', { entry: entry.id })} isPlain>
            {nameOf(actor.id) ?? actor.name ?? actor.email ?? actor.id ?? t.system}
          </Link>
          <Note tone="faint" isSmall>
            <Time at={entry.timestamp} />
          </Note>
          {onRestore && (
            <Push>
              <Button kind="text" onPress={() => onRestore(afterOf(entry))}>
                {t.restore.open}
              </Button>
            </Push>
          )}
        </Line>
        <Diff lines={historyLines(entry)} isPlain />
      </Stack>
    </li>
  );
}
