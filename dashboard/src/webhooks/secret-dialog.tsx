import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Stack } from '../ui/layout.tsx';
import { t } from './messages.ts';

export interface ShownSecret {
  /** `whsec_…`; undefined where a key pair signs. */
  readonly secret?: string | undefined;
  readonly publicKey: string | null;
}

/** The secret of a new or rotated webhook, in the one moment in which it can be read. */
export function SecretDialog(props: { readonly secret: ShownSecret; readonly onClose: () => void }) {
  const { secret, onClose } = props;
  const words = t.secret;
  if (secret.secret === undefined)
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title={words.keyTitle}
        intro={words.keyIntro}
        foot={<Button onPress={onClose}>{words.keyDone}</Button>}
      >
        <CodeBlock title={words.keyTitle} code={secret.publicKey ?? ''} />
      </Dialog>
    );
  return (
    <Dialog
      isOpen
      isStubborn
      isWide
      loss={words.loss}
      onClose={onClose}
      title={words.title}
      intro={words.intro}
      foot={
        <Button kind="main" onPress={onClose}>
          {words.done}
        </Button>
      }
    >
      <Stack>
        <CodeBlock title={words.name} code={secret.secret} />
        <CodeBlock title={words.check} code={SNIPPET} />
      </Stack>
    </Dialog>
  );
}

const SNIPPET = `import { createHmac, timingSafeEqual } from 'node:crypto';

// body: the exact bytes; headers: webhook-id, webhook-timestamp, webhook-signature
export function isFromFlagsvc(secret, headers, body) {
  if (Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp'])) > 300) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const text = headers['webhook-id'] + '.' + headers['webhook-timestamp'] + '.' + body;
  const expected = Buffer.from('v1,' + createHmac('sha256', key).update(text).digest('base64'));
  return headers['webhook-signature'].split(' ').some((one) => {
    const given = Buffer.from(one);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}`;
