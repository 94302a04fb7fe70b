import { useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { toProblem } from '../api/problem.ts';
import type { Segment } from '../api/types.ts';
import { type Attempt, attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Diff } from '../ui/diff.tsx';
import { Stack } from '../ui/layout.tsx';
import { Notice, Skeleton } from '../ui/surface.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { Reach } from './reach.tsx';
import { SegmentRefusal } from './refusal.tsx';
import { changedFields, changedLines, type Edit, editOf } from './segment-edit.ts';
import { useSegmentComment } from './use-segment-comment.ts';
import { useSegmentGlass } from './use-segment-glass.ts';

/** A dry run needs no reason of the person. */
const DRY_RUN = 'dry run';

interface SaveProps {
  readonly segment: Segment;
  readonly edit: Edit;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** What is saved and what it reaches, from a dry run, before it is saved. */
export function SaveDialog({ segment, edit, onClose, onSaved }: SaveProps) {
  const queries = useQueryClient();
  const glass = useSegmentGlass();
  const reason = useSegmentComment();
  const body = changedFields(edit, segment);
  const attempt = {
    tag: `"${segment.revision}"`,
    breakGlass: glass?.id,
    comment: reason.comment || undefined,
  };
  const change = useSave(segment, attempt, onSaved);
  const plan = useQuery({
    queryKey: ['segment', 'plan', segment.id, segment.revision, JSON.stringify(body), glass?.id],
    queryFn: () => change.preview(body, { ...attempt, comment: DRY_RUN }),
    staleTime: 0,
    gcTime: 0,
  });
  const problem = change.problem ?? (plan.error ? toProblem(plan.error) : undefined);
  const canSave = plan.isSuccess && problem === undefined && plan.data.refusal === undefined;
  // After a conflict, the page shows both versions once it has read the newer one.
  const retry = () => {
    change.reset();
    void queries.invalidateQueries({ queryKey: ['segment'] });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.review}
      foot={
        <>
          <Button
            kind="main"
            onPress={() => void change.save(body, attempt)}
            isPending={change.state === 'saving'}
            isDisabled={!canSave}
            whyNot={reason.whyNot}
          >
            {t.save}
          </Button>
          <Button onPress={onClose}>{t.cancel}</Button>
        </>
      }
    >
      <Stack>
        <Diff lines={changedLines(edit, segment)} />
        <Reach id={segment.id} />
        {plan.isPending && <Skeleton lines={2} label={t.checking} />}
        {plan.data?.warnings?.map(({ message, remedy }) => (
          <Notice key={message} tone="warn" title={message}>
            {remedy}
          </Notice>
        ))}
        {reason.field}
        <SegmentRefusal problem={problem} outlook={plan.data} kept={t.kept} onRetry={retry} />
      </Stack>
    </Dialog>
  );
}

function useSave(segment: Segment, { breakGlass, comment }: Attempt, onSaved: () => void) {
  const api = useApi();
  const send = (body: Partial<Edit>, attempt: Attempt) =>
    unwrap(
      api.PUT('/api/v1/segments/{segment_id}', {
        params: {
          path: { segment_id: segment.id },
          header: attemptHeaders(attempt),
          query: { dry_run: attempt.dryRun ?? false },
        },
        body,
      }),
    );
  const name = segment.name || segment.key;
  const outdates = ['segment', 'flag', 'audit'];
  const undo = useChange({ send, outdates, onSaved: () => showToast(t.undone(name)) });
  return useChange({
    send,
    outdates,
    onSaved: (_, body: Partial<Edit>) => {
      const before = Object.entries(editOf(segment)).filter(([field]) => field in body);
      showToast(t.saved(name), () => void undo.save(Object.fromEntries(before), { breakGlass, comment }));
      onSaved();
    },
  });
}
