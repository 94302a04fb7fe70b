import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../../api/client.ts';
import { type Attempt, attemptHeaders, useChange } from '../../app/changes/use-change.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { useApi } from '../../app/services.ts';
import { EnvironmentBadge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { AlertDialog } from '../../ui/dialog.tsx';
import { Diff, type DiffLine } from '../../ui/diff.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { type ConflictField, ConflictView, SaveBar } from '../../ui/save-bar.tsx';
import { Notice } from '../../ui/surface.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useHistory } from '../history/use-history.ts';
import { t } from '../messages.ts';
import type { Outlook } from '../plan.ts';
import { ScheduleButton } from '../planned/schedule-button.tsx';
import type { Place } from '../use-flag.ts';
import { useMemberNames } from '../use-member-names.ts';
import { useRestore } from '../use-restore.ts';
import { type Config, isComplete } from './config.ts';
import { differenceLine } from './difference-lines.tsx';
import { differencesOf, mergeConfigs, takePart } from './differences.ts';
import { type Instruction, instructionsOf } from './instructions.ts';
import type { Names } from './rule-sentence.tsx';
import styles from './rules.module.css';
import type { Edit } from './use-edit.ts';

/** Saves the edit of the rules: the difference, a comment where one is required, and both versions after a conflict. */
export function SaveRules(props: {
  readonly place: Place;
  readonly edit: Edit;
  readonly names: Names;
  readonly outlook: Outlook | undefined;
  readonly breakGlass: string | undefined;
}) {
  const { place, edit, names, outlook, breakGlass } = props;
  const { environment } = place;
  const [comment, setComment] = useState('');
  const [isAsking, setAsking] = useState(false);
  const save = useSaveRules(place, edit);
  const lines = edit.differences.map((difference) => differenceLine(difference, names));
  if (lines.length === 0) return null;
  const attempt = { comment: comment.trim(), breakGlass };
  const send = async () => {
    await save.run({ base: edit.base, config: edit.config, revision: edit.revision }, attempt);
    setAsking(false);
  };
  const needsComment = environment.require_comment && comment.trim() === '';
  const isIncomplete = !edit.config.rules.every(isComplete);
  const whyNot = isIncomplete ? t.save.incomplete : needsComment ? t.save.commentFirst : undefined;
  if (edit.isBehind)
    return (
      <Conflict
        place={place}
        edit={edit}
        names={names}
        isSaving={save.state === 'saving'}
        onSave={async (config) => {
          edit.rebase(config);
          if (needsComment) showToast(t.save.joined);
          else await save.run({ base: edit.saved, config, revision: place.flag.revision }, attempt);
        }}
      />
    );
  return (
    <>
      <SaveBar
        lines={lines}
        place={<EnvironmentBadge environment={environment} />}
        onUndo={({ id }) => edit.change(takePart(edit.base, edit.config, id))}
        onDiscard={edit.discard}
        onSave={() => (environment.confirm_changes ? setAsking(true) : void send())}
        isSaving={save.state === 'saving'}
        whyNot={whyNot ?? outlook?.refusal?.message}
        beside={
          <ScheduleButton
            place={place}
            edit={edit}
            names={names}
            comment={comment}
            breakGlass={breakGlass}
            whyNot={isIncomplete ? t.save.incomplete : undefined}
          />
        }
      >
        <div className={styles.saveNotes}>
          {save.problem && <ErrorState problem={save.problem} kept={t.save.kept(lines.length)} />}
          {outlook?.refusal && <Refusal refusal={outlook.refusal} count={lines.length} />}
          {environment.require_comment && <CommentField value={comment} onChange={setComment} />}
        </div>
      </SaveBar>
      <ConfirmSave
        isOpen={isAsking}
        lines={lines}
        environment={environment.name}
        isSaving={save.state === 'saving'}
        onSave={() => void send()}
        onClose={() => setAsking(false)}
      />
    </>
  );
}

function CommentField(props: { readonly value: string; readonly onChange: (comment: string) => void }) {
  return <TextField {...props} label={t.save.comment} help={t.save.commentHelp} maxLength={2_000} />;
}

/** The difference once more, in environments that want it. */
function ConfirmSave(props: {
  readonly isOpen: boolean;
  readonly lines: readonly DiffLine[];
  readonly environment: string;
  readonly isSaving: boolean;
  readonly onSave: () => void;
  readonly onClose: () => void;
}) {
  const { isOpen, lines, environment, isSaving, onSave, onClose } = props;
  const title = t.save.confirmTitle(lines.length, environment);
  return (
    <AlertDialog
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      action={title}
      onAction={onSave}
      isPending={isSaving}
    >
      <Diff lines={lines} isPlain />
    </AlertDialog>
  );
}

/** A freeze or a guard says no before anything is sent. */
function Refusal(props: { readonly refusal: NonNullable<Outlook['refusal']>; readonly count: number }) {
  const { refusal, count } = props;
  const { hrefTo } = useScope();
  return (
    <Notice
      tone="warn"
      icon={refusal.code === 'FREEZE_WINDOW_ACTIVE' ? 'snow' : 'warn'}
      title={refusal.message}
      actions={
        refusal.code === 'FREEZE_WINDOW_ACTIVE' && (
          <ButtonLink isSmall icon="break-glass" href={hrefTo('freezes', { 'break-glass': 'new' })}>
            {t.save.breakGlass}
          </ButtonLink>
        )
      }
    >
      {t.save.kept(count)}
    </Notice>
  );
}

/** Somebody saved in between: both versions, and an edit on top of theirs. */
function Conflict(props: {
  readonly place: Place;
  readonly edit: Edit;
  readonly names: Names;
  readonly isSaving: boolean;
  readonly onSave: (config: Config) => Promise<void>;
}) {
  const { place, edit, names, isSaving, onSave } = props;
  const [last] = useHistory(place).items ?? [];
  const nameOf = useMemberNames();
  const who = last && (nameOf(last.actor.id) ?? last.actor.name ?? last.actor.email ?? undefined);
  const theirs = differencesOf(edit.base, edit.saved);
  const ids = [...new Set([...theirs, ...edit.differences].map(({ id }) => id))];
  const fields = ids.map((id): ConflictField => {
    const [their, mine] = [theirs, edit.differences].map((list) => list.find((one) => one.id === id));
    const lines = [their, mine].map((one) => one && differenceLine(one, names));
    return {
      id,
      what: (lines[1] ?? lines[0])!.what,
      ...(lines[0] && { theirs: lines[0] }),
      ...(lines[1] && { mine: lines[1] }),
    };
  });
  const versions = { base: edit.base, saved: edit.saved, mine: edit.config };
  return (
    <div className={styles.conflict}>
      <ConflictView
        who={who}
        fields={fields}
        onSave={(chosen) => void onSave(mergeConfigs(versions, chosen))}
        onTakeTheirs={edit.discard}
        isSaving={isSaving}
      />
    </div>
  );
}

/** An edit and the saved state that it began with. */
interface Version {
  readonly base: Config;
  readonly config: Config;
  readonly revision: number;
}

/** Sends the edit as instructions, with one undo that restores the revision before. */
function useSaveRules({ environment, flag }: Place, edit: Edit) {
  const api = useApi();
  const queries = useQueryClient();
  const restore = useRestore({ environment, flag });
  const change = useChange({
    send: (instructions: readonly Instruction[], attempt: Attempt) =>
      unwrap(
        api.PATCH('/api/v1/flags/{flag_id}', {
          params: {
            path: { flag_id: flag.id },
            query: { environment_id: environment.id },
            header: attemptHeaders(attempt),
          },
          body: {
            instructions: [...instructions],
            ...(attempt.comment && { comment: attempt.comment }),
          },
        }),
      ),
    outdates: ['flag', 'audit'],
  });
  return {
    state: change.state,
    problem: change.problem,
    async run({ base, config, revision }: Version, attempt: Omit<Attempt, 'tag' | 'dryRun'>) {
      const { length: count } = differencesOf(base, config);
      const instructions = instructionsOf(base, config);
      if (instructions.length === 0) return edit.discard();
      const answer = await change.save(instructions, { ...attempt, tag: `"${revision}"` });
      // A refusal can mean that somebody saved: then both versions are shown.
      if (answer === undefined) return queries.invalidateQueries({ queryKey: ['flag'] });
      edit.discard();
      showToast(t.save.saved(count, environment.name), () => void restore.run(revision, attempt));
    },
  };
}
