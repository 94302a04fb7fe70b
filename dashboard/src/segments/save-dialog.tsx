import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { toProblem } from '../api/problem.ts';
import type { Segment } from '../api/types.ts';
import { type Attempt, attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { formatAnd } from '../i18n/format-number.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Diff } from '../ui/diff.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Stack } from '../ui/layout.tsx';
import { Notice, Skeleton } from '../ui/surface.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { changedFields, changedLines, type Edit, editOf } from './segment-edit.ts';
import { useUsage } from './use-segments.ts';

interface SaveProps {
  readonly segment: Segment;
  readonly edit: Edit;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** What is saved and what it reaches, from a dry run, before it is saved. */
export function SaveDialog({ segment, edit, onClose, onSaved }: SaveProps) {
  const { hrefTo } = useScope();
  const change = useSave(segment, onSaved);
  const body = changedFields(edit, segment);
  const attempt = { tag: `"${segment.revision}"` };
  const plan = useQuery({
    queryKey: ['segment', 'plan', segment.id, segment.revision, JSON.stringify(body)],
    queryFn: () => change.preview(body, attempt),
    retry: false,
    staleTime: 0,
    gcTime: 0,
  });
  const problem = change.problem ?? (plan.error ? toProblem(plan.error) : undefined);
  const canSave = plan.isSuccess && problem === undefined;
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
        {problem && <ErrorState problem={problem} kept={t.kept} onRetry={() => void plan.refetch()} />}
        {problem?.code === 'FREEZE_WINDOW_ACTIVE' && (
          <ButtonLink icon="break-glass" href={hrefTo('freezes', { 'break-glass': 'new' })}>
            {t.frozen}
          </ButtonLink>
        )}
      </Stack>
    </Dialog>
  );
}

/** Which flags ask for the segment, and where. */
function Reach({ id }: { readonly id: string }) {
  const { environments } = useScope();
  const { data = [] } = useUsage(id);
  if (data.length === 0) return null;
  const ids = new Set(data.map((one) => one.environment_id));
  const names = environments.filter((one) => ids.has(one.id)).map(({ name }) => name);
  return (
    <Notice tone="warn" title={t.reaches(new Set(data.map((one) => one.flag_id)).size)}>
      {t.reachesText(formatAnd(names))}
    </Notice>
  );
}

function useSave(segment: Segment, onSaved: () => void) {
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
      showToast(t.saved(name), () => void undo.save(Object.fromEntries(before)));
      onSaved();
    },
  });
}
