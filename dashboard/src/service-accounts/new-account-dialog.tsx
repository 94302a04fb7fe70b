import { useNavigate } from '@tanstack/react-router';
import { unwrap } from '../api/client.ts';
import { fieldErrors } from '../api/problem.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useDraft } from '../app/drafts/use-draft.ts';
import { bodyOfRights, rightsOf } from '../app/rights/rights.ts';
import { usePlaces } from '../app/rights/use-places.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { showToast } from '../ui/toast.tsx';
import { type AccountFields, AccountForm } from './account-fields.tsx';
import { t } from './messages.ts';
import { type Account, OUTDATES } from './use-accounts.ts';

const FORM = 'service-account';

interface NewAccount extends AccountFields {
  readonly kind: Account['kind'];
}
const EMPTY: NewAccount = {
  kind: 'service_account',
  name: '',
  description: '',
  role: 'editor',
  environment_ids: null,
  project_roles: [],
};

/** Makes a service account, and goes to its page, where it gets its first token. */
export function NewAccountDialog({ onClose }: { readonly onClose: () => void }) {
  const { hrefTo } = useScope();
  const navigate = useNavigate();
  const places = usePlaces();
  const stored = useDraft<NewAccount>('service-account:new');
  const draft = stored.value ?? EMPTY;
  const set = (part: Partial<NewAccount>): void => stored.set({ ...draft, ...part });
  const change = useCreate((account) => {
    stored.clear();
    showToast(t.form.made(account.name));
    void navigate({ href: hrefTo(`settings/service-accounts/${account.id}`) });
  });
  const { problem } = change;
  const whyNot = draft.name.trim() === '' ? t.form.nameFirst : undefined;
  return (
    <Dialog
      isOpen
      isStubborn={stored.value !== undefined}
      onClose={onClose}
      title={t.form.newTitle}
      foot={
        <>
          <Button kind="main" type="submit" form={FORM} isPending={change.state === 'saving'} whyNot={whyNot}>
            {t.form.make}
          </Button>
          <Button
            onPress={() => {
              stored.clear();
              onClose();
            }}
          >
            {t.cancel}
          </Button>
        </>
      }
    >
      <Form
        id={FORM}
        errors={fieldErrors(problem)}
        onSubmit={() => {
          if (whyNot === undefined) void change.save(draft);
        }}
      >
        {problem && problem.fields.length === 0 && <ErrorState problem={problem} kept={t.kept} />}
        <AccountForm
          fields={draft}
          onChange={set}
          kind={draft.kind}
          onKind={(kind) =>
            set({ kind, ...(kind === 'agent' && draft.role === 'admin' && { role: 'editor' }) })
          }
          places={places}
          errors={fieldErrors(problem)}
        />
      </Form>
    </Dialog>
  );
}

function useCreate(onSaved: (account: Account) => void) {
  const api = useApi();
  return useChange({
    send: async ({ kind, name, description, ...rights }: NewAccount, attempt): Promise<Account> => {
      const { role, ...more } = bodyOfRights(rightsOf(rights), () => true);
      const body = { kind, name: name.trim(), description, role: role!, ...more };
      const params = { header: attemptHeaders(attempt) };
      return (await unwrap(api.POST('/api/v1/service-accounts', { params, body }))).data as Account;
    },
    outdates: OUTDATES,
    onSaved,
  });
}
