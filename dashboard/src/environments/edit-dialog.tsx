import { unwrap } from '../api/client.ts';
import { fieldErrors } from '../api/problem.ts';
import type { Environment } from '../api/types.ts';
import { linesOfEdit, RecordConflict } from '../app/changes/record-conflict.tsx';
import { type Attempt, attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useComment } from '../app/changes/use-comment.tsx';
import { useRecordEdit } from '../app/changes/use-record-edit.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Diff } from '../ui/diff.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { TextField } from '../ui/text-field.tsx';
import { showToast } from '../ui/toast.tsx';
import { type EnvironmentFields, environmentLine, fieldsOf } from './environment-draft.ts';
import { EnvironmentSettings } from './environment-fields.tsx';
import { t } from './messages.ts';
import { OUTDATES, useKeysInUse } from './use-environments.ts';

const FORM = 'environment';

/** Changes the name, type, colour and care of an environment. */
export function EditDialog(props: { readonly environment: Environment; readonly onClose: () => void }) {
  const { environment, onClose } = props;
  const edit = useEnvironmentEdit({ environment, onClose });
  const keys = useKeysInUse(environment.id);
  const { value, problem } = edit;
  const lines = linesOfEdit(edit, environmentLine);
  const reason = useComment({ isRequired: environment.require_comment && lines.length > 0 });
  const whyNot = whyNotSave(value, lines.length > 0) ?? reason.whyNot;
  return (
    <Dialog
      isOpen
      isStubborn={lines.length > 0}
      isWide={edit.latest !== undefined}
      onClose={onClose}
      title={t.form.editTitle(environment.name)}
      foot={
        edit.latest === undefined && (
          <>
            <Button kind="main" type="submit" form={FORM} isPending={edit.state === 'saving'} whyNot={whyNot}>
              {t.form.save(lines.length)}
            </Button>
            <Button
              onPress={() => {
                edit.discard();
                onClose();
              }}
            >
              {t.cancel}
            </Button>
          </>
        )
      }
    >
      {edit.latest !== undefined ? (
        <RecordConflict edit={edit} lineOf={environmentLine} />
      ) : (
        <Form
          id={FORM}
          errors={fieldErrors(problem)}
          onSubmit={() => {
            if (whyNot === undefined) edit.save({ comment: reason.comment });
          }}
        >
          {problem && problem.fields.length === 0 && <ErrorState problem={problem} kept={t.kept} />}
          <TextField
            label={t.form.name}
            name="name"
            value={value.name}
            onChange={(name) => edit.set({ name })}
            maxLength={200}
          />
          <EnvironmentSettings
            fields={value}
            onChange={edit.set}
            errors={fieldErrors(problem)}
            typeLock={keys !== undefined && keys.count > 0 ? t.form.typeLocked : undefined}
            isNew={false}
          />
          {reason.field}
          {lines.length > 0 && <Diff lines={lines} />}
        </Form>
      )}
    </Dialog>
  );
}

function whyNotSave({ name }: EnvironmentFields, isChanged: boolean): string | undefined {
  if (name.trim() === '') return t.form.nameFirst;
  return isChanged ? undefined : t.form.noChange;
}

function useEnvironmentEdit(props: { readonly environment: Environment; readonly onClose: () => void }) {
  const { environment, onClose } = props;
  const api = useApi();
  const send = async (fields: Partial<EnvironmentFields>, attempt: Attempt): Promise<Environment> => {
    const params = { header: attemptHeaders(attempt), path: { environment_id: environment.id } };
    const body = { ...fields, ...(fields.name !== undefined && { name: fields.name.trim() }) };
    return (await unwrap(api.PATCH('/api/v1/environments/{environment_id}', { params, body })))
      .data as Environment;
  };
  const undo = useChange({ send, outdates: OUTDATES });
  return useRecordEdit({
    key: `environment:${environment.id}`,
    saved: fieldsOf(environment),
    revision: environment.revision,
    send,
    outdates: OUTDATES,
    onSaved: ({ name, revision }, before) => {
      showToast(
        t.form.saved(name),
        () => void undo.save(before, { tag: `"${revision}"`, comment: t.form.undone }),
      );
      onClose();
    },
  });
}
