import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import { toProblem } from '../../api/problem.ts';
import type { Changes } from '../../api/types.ts';
import { useComment } from '../../app/changes/use-comment.tsx';
import { useApi } from '../../app/services.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Diff } from '../../ui/diff.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Note } from '../../ui/layout.tsx';
import { Skeleton } from '../../ui/surface.tsx';
import { t } from '../messages.ts';
import type { Names } from '../rules/rule-sentence.tsx';
import type { Place } from '../use-flag.ts';
import { useRestore } from '../use-restore.ts';
import { changeLines } from './change-lines.tsx';

/** What an old revision would change, before it comes back. */
export function RestoreDialog(props: {
  readonly place: Place;
  readonly revision: number;
  readonly names: Names;
  readonly breakGlass: string | undefined;
  readonly onClose: () => void;
}) {
  const { place, revision, names, breakGlass, onClose } = props;
  const { environment, flag } = place;
  const reason = useComment({ isRequired: environment.require_comment });
  const difference = useDifference(place, revision);
  const restore = useRestore(place);
  const lines = difference.data && changeLines(difference.data, flag, names);
  const run = async () => {
    const attempt = { comment: reason.comment, breakGlass, tag: `"${flag.revision}"` };
    if ((await restore.run(revision, attempt)) !== undefined) onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.history.restoreTitle(revision, environment.name)}
      foot={
        <>
          <Button
            kind="main"
            onPress={() => void run()}
            isPending={restore.state === 'saving'}
            whyNot={reason.whyNot ?? (lines?.length === 0 ? t.history.same : undefined)}
          >
            {t.history.restoreAction(revision)}
          </Button>
          <Button onPress={onClose}>{t.cancel}</Button>
        </>
      }
    >
      {difference.error ? (
        <ErrorState problem={toProblem(difference.error)} onRetry={() => void difference.refetch()} />
      ) : lines === undefined ? (
        <Skeleton lines={3} />
      ) : lines.length === 0 ? (
        <Note tone="muted">{t.history.same}</Note>
      ) : (
        <Diff lines={lines} isPlain />
      )}
      {reason.field}
      {restore.problem && <ErrorState problem={restore.problem} />}
    </Dialog>
  );
}

/** From the present state to the old one. */
function useDifference({ environment, flag }: Place, revision: number) {
  const api = useApi();
  return useQuery({
    queryKey: ['flag', flag.id, environment.id, 'difference', flag.revision, revision],
    queryFn: async () => {
      const params = {
        path: { flag_id: flag.id, revision: String(flag.revision), other: String(revision) },
        query: { environment_id: environment.id },
      };
      const path = '/api/v1/flags/{flag_id}/revisions/{revision}/diff/{other}';
      return (await unwrap(api.GET(path, { params }))).data.changes as Changes;
    },
  });
}
