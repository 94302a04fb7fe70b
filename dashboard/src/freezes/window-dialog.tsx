import { getLocalTimeZone } from '@internationalized/date';
import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import { fieldErrors, toProblem } from '../api/problem.ts';
import type { FreezeWindow } from '../api/types.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Diff } from '../ui/diff.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Note } from '../ui/layout.tsx';
import { Skeleton } from '../ui/surface.tsx';
import { TextField } from '../ui/text-field.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { useWindow } from './use-freezes.ts';
import {
  bodyOf,
  changedLines,
  draftFault,
  draftOf,
  draftSentence,
  emptyDraft,
  type WindowBody,
} from './window-draft.ts';
import { WindowFields } from './window-fields.tsx';

const FORM = 'freeze-window';

/** Makes a window (`id` is `new`) or changes one. */
export function WindowDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const isNew = id === 'new';
  const window = useWindow(isNew ? undefined : id);
  if (isNew) return <WindowForm window={undefined} onClose={onClose} />;
  if (window.data) return <WindowForm key={id} window={window.data} onClose={onClose} />;
  return (
    <Dialog isOpen onClose={onClose} title={t.title}>
      {window.error ? (
        <ErrorState problem={toProblem(window.error)} onRetry={() => void window.refetch()} />
      ) : (
        <Skeleton lines={6} />
      )}
    </Dialog>
  );
}

interface WindowFormProps {
  readonly window: FreezeWindow | undefined;
  readonly onClose: () => void;
}

function WindowForm({ window, onClose }: WindowFormProps) {
  const { environments, me } = useScope();
  const form = useWindowForm({ window, onClose });
  const { draft, lines, fault } = form;
  const isReadOnly = me.role !== 'admin' || window?.status === 'ended' || window?.status === 'cancelled';
  const whyNot =
    me.role === 'admin'
      ? (fault ?? (window && lines.length === 0 ? t.form.noChange : undefined))
      : t.onlyAdmins;
  const action = window
    ? t.form.save(lines.length)
    : draft.startsAt === undefined
      ? t.form.createNow
      : t.form.create;
  return (
    <Dialog
      isOpen
      isStubborn={lines.length > 0 && !isReadOnly}
      onClose={onClose}
      title={window ? t.form.editTitle(window.name) : t.form.newTitle}
      {...(!window && { intro: t.form.newIntro })}
      foot={
        <>
          {!isReadOnly && (
            <Button kind="main" type="submit" form={FORM} isPending={form.isPending} whyNot={whyNot}>
              {action}
            </Button>
          )}
          <Button onPress={onClose}>{t.form.cancel}</Button>
        </>
      }
    >
      <Form id={FORM} onSubmit={form.submit} errors={form.errors}>
        {form.problem && <ErrorState problem={form.problem} />}
        <WindowFields draft={draft} onChange={form.change} window={window} isDisabled={isReadOnly} />
        {window?.status === 'active' && !isReadOnly && (
          <TextField
            label={t.form.comment}
            help={t.form.commentHelp}
            name="comment"
            value={form.comment}
            onChange={form.setComment}
            maxLength={500}
          />
        )}
        <Note isStrong>{draftSentence(draft, { environments, window })}</Note>
        {window && lines.length > 0 && <Diff lines={lines} />}
      </Form>
    </Dialog>
  );
}

/** The form's state, and how it is sent. */
function useWindowForm({ window, onClose }: WindowFormProps) {
  const api = useApi();
  const { environments } = useScope();
  const zone = getLocalTimeZone();
  const [draft, setDraft] = useState(() =>
    window ? draftOf(window, environments, zone) : emptyDraft(environments, zone),
  );
  const [comment, setComment] = useState('');
  const before = window && bodyOf(draftOf(window, environments, zone), Date.now(), window);
  const fault = draftFault(draft, Date.now());
  const body = fault === undefined ? bodyOf(draft, Date.now(), window) : undefined;
  const change = useChange({
    send: (sent: WindowBody, attempt) => {
      const params = { header: attemptHeaders(attempt), query: { dry_run: attempt.dryRun ?? false } };
      if (!window) return unwrap(api.POST('/api/v1/freeze-windows', { params, body: sent }));
      const path = { freeze_window_id: window.id };
      return unwrap(
        api.PATCH('/api/v1/freeze-windows/{freeze_window_id}', {
          params: { ...params, path },
          body: { ...sent, ...(comment !== '' && { comment }) },
        }),
      );
    },
    outdates: ['freeze', 'audit'],
    onSaved: () => {
      const { saved, frozen, updated } = t.form;
      showToast((window ? updated : draft.startsAt === undefined ? frozen : saved)(draft.name));
      onClose();
    },
  });
  const problem = change.problem && toProblem(change.problem);
  return {
    draft,
    change: (part: Partial<typeof draft>) => setDraft((old) => ({ ...old, ...part })),
    comment,
    setComment,
    fault,
    lines: before && body ? changedLines(before, body, environments) : [],
    submit: () => void (body && change.save(body, { tag: window && `"${window.revision}"` })),
    isPending: change.state === 'saving',
    problem: problem && problem.fields.length === 0 ? problem : undefined,
    errors: fieldErrors(problem),
  };
}
