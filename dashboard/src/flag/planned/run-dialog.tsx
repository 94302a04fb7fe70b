import { isFreeze } from '../../app/changes/outlook.ts';
import { BreakGlassLink } from '../../app/changes/refusal.tsx';
import { useComment } from '../../app/changes/use-comment.tsx';
import { EnvironmentBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Line, Note, Stack } from '../../ui/layout.tsx';
import { Notice } from '../../ui/surface.tsx';
import { showToast } from '../../ui/toast.tsx';
import type { Names } from '../rules/rule-sentence.tsx';
import type { Place } from '../use-flag.ts';
import { useFlagGlass } from '../use-freeze.ts';
import { useRestore } from '../use-restore.ts';
import { t } from './messages.ts';
import { Effect } from './plan-dialog.tsx';
import { plannedLines } from './planned-lines.tsx';
import { type Planned, useRunPlanned } from './use-planned.ts';

/** Runs a planned change before its time, or one that did not run: what it changes in the flag of today, and why it failed. */
export function RunDialog(props: {
  readonly place: Place;
  readonly names: Names;
  readonly planned: Planned;
  readonly onClose: () => void;
}) {
  const { place, names, planned, onClose } = props;
  const { environment, flag } = place;
  const reason = useComment({ isRequired: environment.require_comment, start: planned.comment ?? undefined });
  const glass = useFlagGlass(environment, flag);
  const run = useRunPlanned(planned);
  const restore = useRestore(place);
  const lines = plannedLines(place, planned.changes, names);
  const attempt = { comment: reason.comment, breakGlass: glass?.id };
  const send = async () => {
    if ((await run.save(null, attempt)) === undefined) return;
    onClose();
    showToast(t.run.done(environment.name), () => void restore.run(flag.revision, attempt));
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.run.title(environment.name)}
      foot={
        <>
          <Button
            kind="main"
            onPress={() => void send()}
            isPending={run.state === 'saving'}
            whyNot={reason.whyNot}
          >
            {t.run.action(environment.name)}
          </Button>
          {isFreeze(run.problem?.code) && <BreakGlassLink />}
          <Button onPress={onClose}>{t.dialog.close}</Button>
        </>
      }
    >
      <Stack>
        <Line>
          <EnvironmentBadge environment={environment} />
        </Line>
        {planned.error && (
          <Notice tone="warn" title={t.run.reason}>
            {planned.error.message}
          </Notice>
        )}
        <Note isStrong>{t.run.before}</Note>
        <Effect lines={lines} />
        {planned.base_revision !== null && planned.base_revision < flag.revision && (
          <Note tone="muted">{t.run.onTop}</Note>
        )}
        {reason.field}
        {run.problem && <ErrorState problem={run.problem} kept={t.run.kept} />}
      </Stack>
    </Dialog>
  );
}
