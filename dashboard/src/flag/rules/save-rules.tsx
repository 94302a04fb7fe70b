import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../../api/client.ts';
import type { Environment } from '../../api/types.ts';
import type { Outlook } from '../../app/changes/outlook.ts';
import { Refusal } from '../../app/changes/refusal.tsx';
import { type Attempt, attemptHeaders, useChange } from '../../app/changes/use-change.ts';
import { useComment } from '../../app/changes/use-comment.tsx';
import { useMemberNames } from '../../app/scope/use-member-names.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { useApi } from '../../app/services.ts';
import { EnvironmentBadge } from '../../ui/badge.tsx';
import { AlertDialog } from '../../ui/dialog.tsx';
import { Diff, type DiffLine } from '../../ui/diff.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { showToast } from '../../ui/toast.tsx';
import { sharedDifferences, takeShared } from '../details/shared.ts';
import { sharedFault } from '../details/shared-fault.ts';
import { sharedLine } from '../details/shared-lines.ts';
import { t } from '../messages.ts';
import { ScheduleButton } from '../planned/schedule-button.tsx';
import type { Place } from '../use-flag.ts';
import { useRestore } from '../use-restore.ts';
import { isComplete } from './config.ts';
import { differenceLine } from './difference-lines.tsx';
import { differencesOf, takePart } from './differences.ts';
import type { Instruction } from './instructions.ts';
import type { Names } from './rule-sentence.tsx';
import styles from './rules.module.css';
import { Conflict } from './save-conflict.tsx';
import { allInstructions, type Edit } from './use-edit.ts';

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
  const [isAsking, setAsking] = useState(false);
  const save = useSaveRules(place, edit);
  const asks = useAsks(environment, outlook);
  const reason = useComment({ isRequired: asks.comment });
  const lines = useLines(edit, names);
  if (lines.length === 0) return null;
  const attempt = { comment: reason.comment, breakGlass };
  const send = async () => {
    const { instructions, count, revision } = edit;
    await save.run({ instructions, count, revision }, attempt);
    setAsking(false);
  };
  const isIncomplete = !edit.config.rules.every(isComplete);
  const fault = isIncomplete ? t.save.incomplete : sharedFault(edit.shared.mine);
  const whyNot = fault ?? reason.whyNot;
  if (edit.isBehind && save.state !== 'saving')
    return (
      <Conflict
        place={place}
        edit={edit}
        names={names}
        onSave={async (config, shared) => {
          edit.rebase(config, shared);
          const instructions = allInstructions(edit.saved, config, { base: edit.shared.saved, mine: shared });
          const ownCount = sharedDifferences(edit.shared.saved, shared).length;
          const count = differencesOf(edit.saved, config).length + ownCount;
          if (reason.whyNot !== undefined) showToast(t.save.joined);
          else await save.run({ instructions, count, revision: place.flag.revision }, attempt);
        }}
      />
    );
  return (
    <>
      <SaveBar
        lines={lines}
        place={<EnvironmentBadge environment={environment} />}
        onUndo={({ id }) => undoPart(edit, id)}
        onDiscard={edit.discard}
        onSave={() => (asks.confirmation ? setAsking(true) : void send())}
        isSaving={save.state === 'saving'}
        whyNot={whyNot ?? outlook?.refusal?.message}
        beside={
          <ScheduleButton
            place={place}
            edit={edit}
            names={names}
            comment={reason.comment}
            breakGlass={breakGlass}
            whyNot={isIncomplete ? t.save.incomplete : undefined}
          />
        }
      >
        <div className={styles.saveNotes}>
          {save.problem && <ErrorState problem={save.problem} kept={t.save.kept(lines.length)} />}
          <SharedReach edit={edit} environment={environment} />
          {outlook?.refusal && <Refusal refusal={outlook.refusal}>{t.save.kept(lines.length)}</Refusal>}
          {reason.field}
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

/** The differences in words: first what all environments share. */
function useLines(edit: Edit, names: Names): readonly DiffLine[] {
  const memberName = useMemberNames();
  return [
    ...edit.shared.differences.map((difference) => sharedLine(difference, memberName)),
    ...edit.differences.map((difference) => differenceLine(difference, names)),
  ];
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

/** Whether an environment that the change reaches wants a comment or a confirmation. */
function useAsks(shown: Environment, outlook: Outlook | undefined) {
  const { environments } = useScope();
  const reached = environments.filter(({ id }) => id === shown.id || outlook?.reached.includes(id));
  return {
    comment: reached.some((one) => one.require_comment),
    confirmation: reached.some((one) => one.confirm_changes),
  };
}

/** Ids of differences of what all environments share contain a colon; those of rules do not. */
function undoPart(edit: Edit, id: string): void {
  const { shared } = edit;
  if (id.includes(':')) shared.change(takeShared(shared.base, shared.mine, id));
  else edit.change(takePart(edit.base, edit.config, id));
}

/** Says that a part of the edit changes more than the environment that the bar names. */
function SharedReach({ edit, environment }: { readonly edit: Edit; readonly environment: Environment }) {
  const { length: count } = edit.shared.differences;
  if (count === 0) return null;
  const isAll = count === edit.count;
  return (
    <p className={styles.faint}>
      {isAll ? t.save.everywhere : t.save.partlyEverywhere(count, environment.name)}
    </p>
  );
}

/** What is sent: an edit, and the revision that it began with. */
interface Version {
  readonly instructions: readonly Instruction[];
  readonly count: number;
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
    async run({ instructions, count, revision }: Version, attempt: Omit<Attempt, 'tag' | 'dryRun'>) {
      if (instructions.length === 0) return edit.discard();
      const answer = await change.save(instructions, { ...attempt, tag: `"${revision}"` });
      // A refusal can mean that somebody saved: then both versions are shown.
      if (answer === undefined) return queries.invalidateQueries({ queryKey: ['flag'] });
      edit.discard();
      showToast(t.save.saved(count, environment.name), () => void restore.run(revision, attempt));
    },
  };
}
