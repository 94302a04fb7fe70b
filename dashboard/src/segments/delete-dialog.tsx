import { useNavigate } from '@tanstack/react-router';
import { unwrap } from '../api/client.ts';
import type { Segment } from '../api/types.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, TypedConfirmation } from '../ui/dialog.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { SegmentRefusal } from './refusal.tsx';
import { UsageCard } from './usage-card.tsx';
import { useSegmentComment } from './use-segment-comment.ts';
import { useSegmentGlass } from './use-segment-glass.ts';

/** A segment cannot come back: its key is typed. While rules ask for it, the flags are shown instead. */
export function DeleteDialog(props: { readonly segment: Segment; readonly onClose: () => void }) {
  const { segment, onClose } = props;
  const name = segment.name || segment.key;
  const change = useDelete(segment);
  const glass = useSegmentGlass();
  const reason = useSegmentComment();
  if (segment.usage_count > 0)
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title={t.deletion.used(name)}
        intro={t.deletion.usedText}
        foot={<Button onPress={onClose}>{t.close}</Button>}
      >
        <UsageCard id={segment.id} />
      </Dialog>
    );
  return (
    <TypedConfirmation
      isOpen
      onClose={onClose}
      title={t.deletion.title(name)}
      expected={segment.key}
      action={t.deletion.action}
      onAction={() =>
        void change.save(undefined, {
          tag: `"${segment.revision}"`,
          breakGlass: glass?.id,
          comment: reason.comment || undefined,
        })
      }
      isPending={change.state === 'saving'}
    >
      <p>{t.deletion.text}</p>
      {reason.field}
      <SegmentRefusal problem={change.problem} />
    </TypedConfirmation>
  );
}

function useDelete(segment: Segment) {
  const api = useApi();
  const { hrefTo } = useScope();
  const navigate = useNavigate();
  return useChange({
    send: (_: undefined, attempt) =>
      unwrap(
        api.DELETE('/api/v1/segments/{segment_id}', {
          params: { path: { segment_id: segment.id }, header: attemptHeaders(attempt) },
        }),
      ),
    // The segment itself is not read again: there is none.
    outdates: ['audit'],
    onSaved: async () => {
      showToast(t.deletion.done(segment.name || segment.key));
      await navigate({ to: hrefTo('segments') });
    },
  });
}
