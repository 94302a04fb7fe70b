import { unwrap } from '../api/client.ts';
import { fieldErrors } from '../api/problem.ts';
import type { Member } from '../api/types.ts';
import { linesOfEdit, RecordConflict } from '../app/changes/record-conflict.tsx';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useRecordEdit } from '../app/changes/use-record-edit.ts';
import { type AssignedRights, bodyOfRights, rightsOf } from '../app/rights/rights.ts';
import { RightsFields } from '../app/rights/rights-fields.tsx';
import { rightsLine } from '../app/rights/rights-words.tsx';
import type { Places } from '../app/rights/use-places.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Diff } from '../ui/diff.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Notice } from '../ui/surface.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { nameOf } from './use-members.ts';

const FORM = 'member';

/** Changes the role of a member, where they may make changes, and their roles in single projects. */
export function EditDialog(props: {
  readonly member: Member;
  readonly isLast: boolean;
  readonly places: Places;
  readonly onClose: () => void;
}) {
  const { member, isLast, places, onClose } = props;
  const { me } = useScope();
  const edit = useMemberEdit({ member, places, onClose });
  const lineOf = rightsLine(places);
  const lines = linesOfEdit(edit, lineOf);
  const { value, problem } = edit;
  const cancel = (): void => {
    edit.discard();
    onClose();
  };
  const losesAdmin = isLast && value.role !== 'admin';
  const whyNot = lines.length === 0 ? t.edit.noChange : losesAdmin ? t.lastAdmin : undefined;
  return (
    <Dialog
      isOpen
      isStubborn={lines.length > 0}
      isWide={edit.latest !== undefined}
      onClose={onClose}
      title={t.edit.title(nameOf(member))}
      intro={member.user.email}
      foot={
        edit.latest === undefined && (
          <>
            <Button kind="main" type="submit" form={FORM} isPending={edit.state === 'saving'} whyNot={whyNot}>
              {t.edit.save(lines.length)}
            </Button>
            <Button onPress={cancel}>{t.cancel}</Button>
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
          {problem && <ErrorState problem={problem} kept={t.kept} />}
          {isLast ? (
            <Notice title={t.edit.lastAdminTitle}>{t.lastAdmin}</Notice>
          ) : (
            member.id === me.id && <Notice title={t.edit.ownTitle}>{t.edit.ownText}</Notice>
          )}
          <RightsFields rights={value} onChange={edit.set} places={places} errors={fieldErrors(problem)} />
          {lines.length > 0 && <Diff lines={lines} />}
        </Form>
      )}
    </Dialog>
  );
}

function useMemberEdit(props: {
  readonly member: Member;
  readonly places: Places;
  readonly onClose: () => void;
}) {
  const { member, places, onClose } = props;
  const api = useApi();
  const { organization } = useScope();
  const path = { organization_id: organization.id, user_id: member.id };
  const isKnown = (id: string): boolean => places.isLoading || places.environment(id) !== undefined;
  const send = (rights: Partial<AssignedRights>, attempt: Parameters<typeof attemptHeaders>[0]) =>
    unwrap(
      api.PATCH('/api/v1/organizations/{organization_id}/members/{user_id}', {
        params: { header: attemptHeaders(attempt), path },
        body: bodyOfRights(rights, isKnown),
      }),
    );
  const outdates = ['member', 'me', 'audit'];
  const undo = useChange({ send, outdates });
  return useRecordEdit({
    key: `member:${member.id}`,
    saved: rightsOf(member),
    revision: member.revision,
    send,
    outdates,
    onSaved: ({ data }, before) => {
      const { revision } = data as Member;
      showToast(t.edit.saved(nameOf(member)), () => void undo.save(before, { tag: `"${revision}"` }));
      onClose();
    },
  });
}
