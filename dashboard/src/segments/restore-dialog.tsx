import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { toProblem } from '../api/problem.ts';
import type { Segment } from '../api/types.ts';
import { type Attempt, attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Diff } from '../ui/diff.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { Skeleton } from '../ui/surface.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { Reach } from './reach.tsx';
import { SegmentRefusal } from './refusal.tsx';
import { historyLines } from './segment-words.ts';
import { useSegmentComment } from './use-segment-comment.ts';
import { useSegmentGlass } from './use-segment-glass.ts';

/** What an older version would change of the segment, before it is put back. */
export function RestoreDialog(props: {
  readonly segment: Segment;
  readonly revision: number;
  readonly onClose: () => void;
}) {
  const { segment, revision, onClose } = props;
  const glass = useSegmentGlass();
  const reason = useSegmentComment();
  const attempt = {
    tag: `"${segment.revision}"`,
    breakGlass: glass?.id,
    comment: reason.comment || undefined,
  };
  const change = useRestore(segment, attempt, onClose);
  const plan = useQuery({
    queryKey: ['segment', 'restore-plan', segment.id, segment.revision, revision, glass?.id],
    queryFn: () => change.preview(revision, { ...attempt, comment: 'dry run' }),
    gcTime: 0,
  });
  const problem = change.problem ?? (plan.error ? toProblem(plan.error) : undefined);
  const lines = plan.data && historyLines({ action: 'segment.restored', changes: plan.data.changes });
  const canSave = lines !== undefined && lines.length > 0 && !problem && !plan.data?.refusal;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.restore.title}
      intro={t.restore.intro}
      foot={
        <>
          <Button
            kind="main"
            onPress={() => void change.save(revision, attempt)}
            isPending={change.state === 'saving'}
            isDisabled={!canSave}
            whyNot={reason.whyNot}
          >
            {t.restore.action}
          </Button>
          <Button onPress={onClose}>{t.cancel}</Button>
        </>
      }
    >
      <Stack>
        {plan.isPending && <Skeleton lines={3} label={t.checking} />}
        {lines && (lines.length > 0 ? <Diff lines={lines} /> : <Note tone="muted">{t.restore.same}</Note>)}
        <Reach id={segment.id} />
        {reason.field}
        <SegmentRefusal problem={problem} outlook={plan.data} onRetry={() => void plan.refetch()} />
      </Stack>
    </Dialog>
  );
}

function useRestore(segment: Segment, { breakGlass, comment }: Attempt, onDone: () => void) {
  const api = useApi();
  const send = (revision: number, attempt: Attempt) =>
    unwrap(
      api.POST('/api/v1/segments/{segment_id}/revisions/{revision}/restore', {
        params: {
          path: { segment_id: segment.id, revision: String(revision) },
          header: attemptHeaders(attempt),
          query: { dry_run: attempt.dryRun ?? false },
        },
        body: {},
      }),
    );
  const name = segment.name || segment.key;
  const outdates = ['segment', 'flag', 'audit'];
  const undo = useChange({ send, outdates, onSaved: () => showToast(t.undone(name)) });
  return useChange({
    send,
    outdates,
    onSaved: () => {
      showToast(t.restore.done(name), () => void undo.save(segment.revision, { breakGlass, comment }));
      onDone();
    },
  });
}
