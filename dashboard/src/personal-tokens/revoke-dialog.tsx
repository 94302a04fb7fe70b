import { unwrap } from '../api/client.ts';
import { useChange } from '../app/changes/use-change.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, TypedConfirmation } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Stack } from '../ui/layout.tsx';
import { Notice } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import type { Token } from './use-tokens.ts';

const words = t.revocation;

interface RevokeDialogProps {
  /** Undefined when the address names a token that was revoked. */
  readonly token: Token | undefined;
  readonly onClose: () => void;
  readonly onRevoked: (id: string) => void;
}

/** Ends a token for good, after saying what stops. */
export function RevokeDialog({ token, ...rest }: RevokeDialogProps) {
  const { onClose } = rest;
  if (token !== undefined) return <Question token={token} {...rest} />;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={words.gone}
      foot={<Button onPress={onClose}>{words.close}</Button>}
    >
      {words.goneText}
    </Dialog>
  );
}

function Question(props: RevokeDialogProps & { readonly token: Token }) {
  const { token, onClose, onRevoked } = props;
  const api = useApi();
  const change = useChange({
    send: async (id: string) => {
      await unwrap(api.DELETE('/api/v1/auth/tokens/{token_id}', { params: { path: { token_id: id } } }));
      return id;
    },
    outdates: ['personal_token', 'audit'],
    onSaved: (id) => {
      showToast(words.done(token.name));
      onRevoked(id);
      onClose();
    },
  });
  const { last_used_at: used, last_four: lastFour } = token;
  return (
    <TypedConfirmation
      isOpen
      onClose={onClose}
      title={words.title(token.name)}
      expected={lastFour}
      action={words.action}
      onAction={() => void change.save(token.id)}
      isPending={change.state === 'saving'}
    >
      <Stack>
        {change.problem && <ErrorState problem={change.problem} />}
        {used === null ? (
          <Notice title={words.notUsed} />
        ) : (
          <Notice tone="warn" title={words.stillUsed}>
            {words.used} <Time at={used} />.
          </Notice>
        )}
        <p>{words.text}</p>
      </Stack>
    </TypedConfirmation>
  );
}
