import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import { fieldErrors } from '../api/problem.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useComment } from '../app/changes/use-comment.tsx';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Diff, linesOf } from '../ui/diff.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { showToast } from '../ui/toast.tsx';
import { bodyOfKey, draftOfKey, emptyKeyDraft, type KeyDraft, keyChanges } from './key-draft.ts';
import { KeyFields } from './key-fields.tsx';
import { t } from './messages.ts';
import type { ApiKey, MadeKey } from './use-api-keys.ts';

const FORM = 'api-key';

interface KeyDialogProps {
  /** Undefined makes a new key. */
  readonly apiKey: ApiKey | undefined;
  /** Ids of environments whose keys the person may make. */
  readonly allowed: readonly string[];
  readonly start?: Partial<KeyDraft> | undefined;
  readonly onClose: () => void;
  readonly onMade: (key: MadeKey) => void;
}

/** Makes a key, or changes the name, origins, addresses, expiry and limits of one. */
export function KeyDialog({ apiKey, allowed, start, onClose, onMade }: KeyDialogProps) {
  const { environments } = useScope();
  const [draft, setDraft] = useState<KeyDraft>(() =>
    apiKey ? draftOfKey(apiKey) : { ...emptyKeyDraft(allowed[0] ?? ''), ...start },
  );
  const change = useKeyChange({ apiKey, onClose, onMade });
  const lines = apiKey ? linesOf(keyChanges(apiKey, draft)) : [];
  const environment = environments.find(({ id }) => id === draft.environmentId);
  const reason = useComment({ isRequired: environment?.require_comment ?? false });
  const { problem } = change;
  const errors = fieldErrors(problem);
  const whyNot =
    draft.name.trim() === ''
      ? t.form.nameFirst
      : apiKey && lines.length === 0
        ? t.form.noChange
        : reason.whyNot;
  const submit = (): void => {
    if (whyNot === undefined)
      void change.save(draft, { comment: reason.comment, tag: apiKey && `"${apiKey.revision}"` });
  };
  return (
    <Dialog
      isOpen
      isStubborn={apiKey ? lines.length > 0 : draft.name !== ''}
      onClose={onClose}
      title={apiKey ? t.form.editTitle(apiKey.name) : t.form.newTitle}
      foot={
        <>
          <Button kind="main" type="submit" form={FORM} isPending={change.state === 'saving'} whyNot={whyNot}>
            {apiKey ? t.form.save(lines.length) : t.form.make}
          </Button>
          <Button onPress={onClose}>{t.form.cancel}</Button>
        </>
      }
    >
      <Form id={FORM} onSubmit={submit} errors={errors}>
        {problem && problem.fields.length === 0 && <ErrorState problem={problem} />}
        <KeyFields
          draft={draft}
          onChange={(part) => setDraft((old) => ({ ...old, ...part }))}
          isNew={apiKey === undefined}
          allowed={allowed}
          errors={errors}
        />
        {reason.field}
        {lines.length > 0 && <Diff lines={lines} />}
      </Form>
    </Dialog>
  );
}

function useKeyChange({ apiKey, onClose, onMade }: Pick<KeyDialogProps, 'apiKey' | 'onClose' | 'onMade'>) {
  const api = useApi();
  return useChange({
    send: async (draft: KeyDraft, attempt): Promise<MadeKey> => {
      const { kind, ...body } = bodyOfKey(draft);
      const header = attemptHeaders(attempt);
      const sent = apiKey
        ? unwrap(
            api.PATCH('/api/v1/api-keys/{key_id}', {
              params: { header, path: { key_id: apiKey.id } },
              body,
            }),
          )
        : unwrap(
            api.POST('/api/v1/environments/{environment_id}/api-keys', {
              params: { header, path: { environment_id: draft.environmentId } },
              body: { ...body, kind },
            }),
          );
      return (await sent).data as MadeKey;
    },
    outdates: ['api_key', 'audit'],
    onSaved: (key) => {
      if (apiKey) showToast(t.form.saved(key.name));
      else onMade(key);
      onClose();
    },
  });
}
