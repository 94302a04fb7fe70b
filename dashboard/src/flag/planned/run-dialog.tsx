import { useState } from 'react';
import { useScope } from '../../app/scope/use-scope.ts';
import { EnvironmentBadge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Line, Note, Stack } from '../../ui/layout.tsx';
import { Notice } from '../../ui/surface.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { showToast } from '../../ui/toast.tsx';
import type { Names } from '../rules/rule-sentence.tsx';
import type { Place } from '../use-flag.ts';
import { useGlass } from '../use-freeze.ts';
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
  const { hrefTo } = useScope();
  const [comment, setComment] = useState(planned.comment ?? '');
  const glass = useGlass(environment, flag);
  const run = useRunPlanned(planned);
  const restore = useRestore(place);
  const lines = plannedLines(place, planned.changes, names);
  const attempt = { comment: comment.trim(), breakGlass: glass?.id };
  const send = async () => {
    if ((await run.save(null, attempt)) === undefined) return;
    onClose();
    showToast(t.run.done(environment.name), () => void restore.run(flag.revision, attempt));
  };
  const needsComment = environment.require_comment && comment.trim() === '';
  const isFrozen = run.problem?.code === 'FREEZE_WINDOW_ACTIVE';
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
            whyNot={needsComment ? t.dialog.commentFirst : undefined}
          >
            {t.run.action(environment.name)}
          </Button>
          {isFrozen && (
            <ButtonLink icon="break-glass" href={hrefTo('freezes', { 'break-glass': 'new' })}>
              {t.run.breakGlass}
            </ButtonLink>
          )}
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
        {environment.require_comment && (
          <TextField
            label={t.dialog.comment}
            help={t.dialog.commentHelp}
            value={comment}
            onChange={setComment}
            maxLength={2_000}
          />
        )}
        {run.problem && <ErrorState problem={run.problem} kept={t.run.kept} />}
      </Stack>
    </Dialog>
  );
}
