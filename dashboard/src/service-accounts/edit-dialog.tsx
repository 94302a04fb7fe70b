import { unwrap } from '../api/client.ts';
import { fieldErrors } from '../api/problem.ts';
import { linesOfEdit, RecordConflict } from '../app/changes/record-conflict.tsx';
import { type Attempt, attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useRecordEdit } from '../app/changes/use-record-edit.ts';
import { bodyOfRights } from '../app/rights/rights.ts';
import { rightsLine } from '../app/rights/rights-words.tsx';
import { type Places, usePlaces } from '../app/rights/use-places.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Diff, type DiffLine } from '../ui/diff.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { showToast } from '../ui/toast.tsx';
import { type AccountFields, AccountForm, fieldsOf } from './account-fields.tsx';
import { t } from './messages.ts';
import { type Account, OUTDATES } from './use-accounts.ts';

const FORM = 'service-account';

/** Changes the name, the description and the rights of a service account. */
export function EditDialog({
  account,
  onClose,
}: {
  readonly account: Account;
  readonly onClose: () => void;
}) {
  const places = usePlaces();
  const edit = useAccountEdit({ account, places, onClose });
  const { value, problem } = edit;
  const lineOf = accountLine(places);
  const lines = linesOfEdit(edit, lineOf);
  const whyNot =
    value.name.trim() === '' ? t.form.nameFirst : lines.length === 0 ? t.form.noChange : undefined;
  return (
    <Dialog
      isOpen
      isStubborn={lines.length > 0}
      isWide={edit.latest !== undefined}
      onClose={onClose}
      title={t.form.editTitle(account.name)}
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
        <RecordConflict edit={edit} lineOf={lineOf} />
      ) : (
        <Form
          id={FORM}
          errors={fieldErrors(problem)}
          onSubmit={() => {
            if (whyNot === undefined) edit.save();
          }}
        >
          {problem && problem.fields.length === 0 && <ErrorState problem={problem} kept={t.kept} />}
          <AccountForm
            fields={value}
            onChange={edit.set}
            kind={account.kind}
            places={places}
            errors={fieldErrors(problem)}
          />
          {lines.length > 0 && <Diff lines={lines} />}
        </Form>
      )}
    </Dialog>
  );
}

function useAccountEdit(props: {
  readonly account: Account;
  readonly places: Places;
  readonly onClose: () => void;
}) {
  const { account, places, onClose } = props;
  const api = useApi();
  const isKnown = (id: string): boolean => places.isLoading || places.environment(id) !== undefined;
  const send = async ({ name, description, ...rights }: Partial<AccountFields>, attempt: Attempt) => {
    const body = {
      ...(name !== undefined && { name: name.trim() }),
      ...(description !== undefined && { description }),
      ...bodyOfRights(rights, isKnown),
    };
    const params = { header: attemptHeaders(attempt), path: { service_account_id: account.id } };
    return (await unwrap(api.PATCH('/api/v1/service-accounts/{service_account_id}', { params, body })))
      .data as Account;
  };
  const undo = useChange({ send, outdates: OUTDATES });
  return useRecordEdit({
    key: `service-account:${account.id}`,
    saved: fieldsOf(account),
    revision: account.revision,
    send,
    outdates: OUTDATES,
    onSaved: ({ name, revision }, before) => {
      showToast(t.form.saved(name), () => void undo.save(before, { tag: `"${revision}"` }));
      onClose();
    },
  });
}

function accountLine(places: Places) {
  const ofRights = rightsLine(places);
  return (field: keyof AccountFields, from: AccountFields, to: AccountFields): DiffLine =>
    field === 'name' || field === 'description'
      ? { id: field, what: t.form[field], from: from[field], to: to[field] }
      : ofRights(field, from, to);
}
