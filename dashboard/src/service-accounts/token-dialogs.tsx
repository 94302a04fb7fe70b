import { getLocalTimeZone } from '@internationalized/date';
import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import { fieldErrors } from '../api/problem.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useDraft } from '../app/drafts/use-draft.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { RadioGroup } from '../ui/choice.tsx';
import { CodeBlock } from '../ui/copy.tsx';
import { DateTimeField } from '../ui/date-time-field.tsx';
import { AlertDialog, Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Stack } from '../ui/layout.tsx';
import { Notice } from '../ui/surface.tsx';
import { TextField } from '../ui/text-field.tsx';
import { Time } from '../ui/time.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { type Account, type MadeToken, OUTDATES, type Scope, type Token } from './use-accounts.ts';

const FORM = 'service-token';
const DEFAULT_LIFETIME_MS = 90 * 86_400_000;

interface TokenDraft {
  readonly name: string;
  readonly scope: Scope;
  readonly expiresAt: string | undefined;
}

/** Makes a token of a service account. */
export function NewTokenDialog(props: {
  readonly account: Account;
  readonly onMade: (made: MadeToken) => void;
  readonly onClose: () => void;
}) {
  const { account, onMade, onClose } = props;
  const stored = useDraft<TokenDraft>(`service-token:${account.id}`);
  const [empty] = useState<TokenDraft>(() => ({
    name: '',
    scope: account.role === 'viewer' ? 'read' : 'flags:write',
    expiresAt: new Date(Date.now() + DEFAULT_LIFETIME_MS).toISOString(),
  }));
  const draft = stored.value ?? empty;
  const set = (part: Partial<TokenDraft>): void => stored.set({ ...draft, ...part });
  const change = useCreateToken(account, (made) => {
    stored.clear();
    onMade(made);
  });
  const { problem } = change;
  const whyNot =
    draft.name.trim() === ''
      ? t.tokens.nameFirst
      : draft.expiresAt === undefined
        ? t.tokens.expiryFirst
        : undefined;
  return (
    <Dialog
      isOpen
      isStubborn={stored.value !== undefined}
      onClose={onClose}
      title={t.tokens.new}
      intro={account.name}
      foot={
        <>
          <Button kind="main" type="submit" form={FORM} isPending={change.state === 'saving'} whyNot={whyNot}>
            {t.tokens.make}
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
        <TokenFields draft={draft} onChange={set} />
      </Form>
    </Dialog>
  );
}

function TokenFields(props: {
  readonly draft: TokenDraft;
  readonly onChange: (part: Partial<TokenDraft>) => void;
}) {
  const { draft, onChange } = props;
  return (
    <>
      <TextField
        label={t.tokens.name}
        help={t.tokens.nameHelp}
        name="name"
        value={draft.name}
        onChange={(name) => onChange({ name })}
        maxLength={200}
        autoFocus
      />
      <RadioGroup
        label={t.tokens.scope}
        name="scopes"
        choices={t.tokens.scopeChoices}
        value={draft.scope}
        onChange={(scope) => onChange({ scope })}
      />
      <DateTimeField
        label={t.tokens.expires}
        help={t.tokens.expiresHelp}
        name="expires_at"
        zone={getLocalTimeZone()}
        value={draft.expiresAt}
        onChange={(expiresAt) => onChange({ expiresAt })}
      />
    </>
  );
}

function useCreateToken(account: Account, onSaved: (made: MadeToken) => void) {
  const api = useApi();
  return useChange({
    send: async ({ name, scope, expiresAt }: TokenDraft, attempt): Promise<MadeToken> => {
      const params = { header: attemptHeaders(attempt), path: { service_account_id: account.id } };
      const body = { name: name.trim(), scopes: [scope], expires_at: expiresAt! };
      return (
        await unwrap(api.POST('/api/v1/service-accounts/{service_account_id}/tokens', { params, body }))
      ).data as MadeToken;
    },
    outdates: OUTDATES,
    onSaved,
  });
}

/** A token in the one moment in which it can be read. */
export function SecretDialog({ made, onClose }: { readonly made: MadeToken; readonly onClose: () => void }) {
  const { name, token } = made;
  const words = t.tokens;
  return (
    <Dialog
      isOpen
      isStubborn={token !== undefined}
      loss={words.loss}
      onClose={onClose}
      title={words.secretTitle(name)}
      intro={token === undefined ? words.noSecret : words.secretIntro}
      foot={
        <Button kind="main" onPress={onClose}>
          {words.done}
        </Button>
      }
    >
      {token !== undefined && (
        <Stack>
          <CodeBlock title={words.secret} code={token} />
          <CodeBlock
            title={words.example}
            code={`curl -s ${location.origin}/api/v1/auth/me \\\n  -H "Authorization: Bearer $FLAGSVC_TOKEN"`}
          />
        </Stack>
      )}
    </Dialog>
  );
}

/** Gives the program a new token, and says how long the old one still works. */
export function RotateDialog(props: {
  readonly account: Account;
  readonly token: Token;
  readonly onMade: (made: MadeToken) => void;
  readonly onClose: () => void;
}) {
  const { account, token, onMade, onClose } = props;
  const words = t.tokens;
  const api = useApi();
  const [grace, setGrace] = useState<(typeof words.graceChoices)[number]['id']>('1440');
  const change = useChange({
    send: async (minutes: number, attempt): Promise<MadeToken> => {
      const path = { service_account_id: account.id, service_token_id: token.id };
      const params = { header: attemptHeaders(attempt), path };
      return (
        await unwrap(
          api.POST('/api/v1/service-accounts/{service_account_id}/tokens/{service_token_id}/rotate', {
            params,
            body: { grace_minutes: minutes },
          }),
        )
      ).data as MadeToken;
    },
    outdates: OUTDATES,
    onSaved: onMade,
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={words.rotateTitle(token.name)}
      intro={words.rotateIntro}
      foot={
        <>
          <Button kind="main" type="submit" form={FORM} isPending={change.state === 'saving'}>
            {words.rotateAction}
          </Button>
          <Button onPress={onClose}>{t.cancel}</Button>
        </>
      }
    >
      <Form id={FORM} onSubmit={() => void change.save(Number(grace))}>
        {change.problem && <ErrorState problem={change.problem} />}
        <RadioGroup
          label={words.grace}
          name="grace"
          choices={words.graceChoices}
          value={grace}
          onChange={setGrace}
        />
      </Form>
    </Dialog>
  );
}

/** Ends a token at once. */
export function RevokeDialog(props: {
  readonly account: Account;
  readonly token: Token;
  readonly onClose: () => void;
}) {
  const { account, token, onClose } = props;
  const words = t.tokens;
  const api = useApi();
  const change = useChange({
    send: (id: string, attempt) =>
      unwrap(
        api.DELETE('/api/v1/service-accounts/{service_account_id}/tokens/{service_token_id}', {
          params: {
            header: attemptHeaders(attempt),
            path: { service_account_id: account.id, service_token_id: id },
          },
        }),
      ),
    outdates: OUTDATES,
    onSaved: () => {
      showToast(words.revoked(token.name));
      onClose();
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={words.revokeTitle(token.name)}
      action={words.revokeAction}
      onAction={() => void change.save(token.id)}
      isDanger
      isPending={change.state === 'saving'}
    >
      <Stack>
        {change.problem && <ErrorState problem={change.problem} />}
        {token.last_used_at === null ? (
          <Notice title={words.revokeUnused} />
        ) : (
          <Notice tone="warn" title={words.revokeUsed}>
            <Time at={token.last_used_at} />
          </Notice>
        )}
        <p>{words.revokeText}</p>
      </Stack>
    </AlertDialog>
  );
}
