import { unwrap } from '../api/client.ts';
import { fieldErrors } from '../api/problem.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useDraft } from '../app/drafts/use-draft.ts';
import { type AssignedRights, rightsOf } from '../app/rights/rights.ts';
import { RightsFields } from '../app/rights/rights-fields.tsx';
import type { Places } from '../app/rights/use-places.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/copy.tsx';
import { AlertDialog, Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { TextField } from '../ui/text-field.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import type { Invitation, MadeInvitation } from './use-members.ts';

const FORM = 'invite';

interface InviteDraft extends AssignedRights {
  readonly email: string;
}
const EMPTY: InviteDraft = { email: '', role: 'editor', environment_ids: null, project_roles: [] };

/** Invites a person by e-mail, with a role. */
export function InviteDialog(props: {
  readonly places: Places;
  readonly onMade: (made: MadeInvitation) => void;
  readonly onClose: () => void;
}) {
  const { places, onMade, onClose } = props;
  const stored = useDraft<InviteDraft>('member:invite');
  const draft = stored.value ?? EMPTY;
  const change = useInvite((made) => {
    stored.clear();
    onMade(made);
  });
  const { problem } = change;
  const errors = fieldErrors(problem);
  const whyNot = draft.email.trim() === '' ? t.invitation.emailFirst : undefined;
  const cancel = (): void => {
    stored.clear();
    onClose();
  };
  return (
    <Dialog
      isOpen
      isStubborn={stored.value !== undefined}
      onClose={onClose}
      title={t.invitation.title}
      intro={t.invitation.intro}
      foot={
        <>
          <Button kind="main" type="submit" form={FORM} isPending={change.state === 'saving'} whyNot={whyNot}>
            {t.invitation.send}
          </Button>
          <Button onPress={cancel}>{t.cancel}</Button>
        </>
      }
    >
      <Form
        id={FORM}
        errors={errors}
        onSubmit={() => {
          if (whyNot === undefined) void change.save(draft);
        }}
      >
        {problem && problem.fields.length === 0 && <ErrorState problem={problem} kept={t.kept} />}
        <TextField
          label={t.invitation.email}
          name="email"
          type="email"
          value={draft.email}
          onChange={(email) => stored.set({ ...draft, email })}
          maxLength={254}
          autoFocus
        />
        <RightsFields
          rights={rightsOf(draft)}
          onChange={(rights) => stored.set({ ...draft, ...rights })}
          places={places}
          errors={errors}
          hasEnvironments={false}
        />
        {draft.role === 'editor' && (
          <Note tone="faint" isSmall>
            {t.invitation.environmentsLater}
          </Note>
        )}
      </Form>
    </Dialog>
  );
}

function useInvite(onSaved: (made: MadeInvitation) => void) {
  const api = useApi();
  const { organization } = useScope();
  return useChange({
    send: async ({ email, role, project_roles: roles }: InviteDraft, attempt): Promise<MadeInvitation> => {
      const params = { header: attemptHeaders(attempt), path: { organization_id: organization.id } };
      const body = {
        email: email.trim(),
        role,
        project_roles: role === 'admin' ? [] : roles.map((own) => ({ ...own })),
      };
      return (await unwrap(api.POST('/api/v1/organizations/{organization_id}/invitations', { params, body })))
        .data as MadeInvitation;
    },
    outdates: ['invitation', 'audit'],
    onSaved,
  });
}

/** The link of an invitation, in the one moment in which it can be read. */
export function LinkDialog({
  made,
  onClose,
}: {
  readonly made: MadeInvitation;
  readonly onClose: () => void;
}) {
  const { email, accept_url: link, is_mailed: isMailed } = made;
  const words = t.invitation;
  return (
    <Dialog
      isOpen
      isStubborn={link !== undefined}
      loss={words.loss}
      onClose={onClose}
      title={isMailed ? words.mailedTitle(email) : words.linkTitle(email)}
      intro={link === undefined ? words.noLink : isMailed ? words.mailedText : words.linkText}
      foot={
        <Button kind="main" onPress={onClose} autoFocus>
          {words.done}
        </Button>
      }
    >
      {link !== undefined && <CodeBlock title={words.link} code={link} />}
    </Dialog>
  );
}

/** Gives an invitation a new link. */
export function ResendDialog(props: {
  readonly invitation: Invitation;
  readonly onMade: (made: MadeInvitation) => void;
  readonly onClose: () => void;
}) {
  const { invitation, onMade, onClose } = props;
  const api = useApi();
  const { organization } = useScope();
  const change = useChange({
    send: async (id: string, attempt): Promise<MadeInvitation> => {
      const path = { organization_id: organization.id, invitation_id: id };
      return (
        await unwrap(
          api.POST('/api/v1/organizations/{organization_id}/invitations/{invitation_id}/resend', {
            params: { header: attemptHeaders(attempt), path },
          }),
        )
      ).data as MadeInvitation;
    },
    outdates: ['invitation', 'audit'],
    onSaved: onMade,
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={t.invitation.resendTitle(invitation.email)}
      action={t.invitation.resendAction}
      onAction={() => void change.save(invitation.id)}
      isPending={change.state === 'saving'}
    >
      <Stack>
        {change.problem && <ErrorState problem={change.problem} />}
        <p>{t.invitation.resendText}</p>
      </Stack>
    </AlertDialog>
  );
}

/** Ends an invitation that nobody has accepted. */
export function RevokeDialog(props: { readonly invitation: Invitation; readonly onClose: () => void }) {
  const { invitation, onClose } = props;
  const api = useApi();
  const { organization } = useScope();
  const change = useChange({
    send: (id: string, attempt) =>
      unwrap(
        api.DELETE('/api/v1/organizations/{organization_id}/invitations/{invitation_id}', {
          params: {
            header: attemptHeaders(attempt),
            path: { organization_id: organization.id, invitation_id: id },
          },
        }),
      ),
    outdates: ['invitation', 'audit'],
    onSaved: () => {
      showToast(t.invitation.revoked(invitation.email));
      onClose();
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={t.invitation.revokeTitle(invitation.email)}
      action={t.invitation.revokeAction}
      onAction={() => void change.save(invitation.id)}
      isDanger
      isPending={change.state === 'saving'}
    >
      <Stack>
        {change.problem && <ErrorState problem={change.problem} />}
        <p>{t.invitation.revokeText}</p>
      </Stack>
    </AlertDialog>
  );
}
