import { useEffect, useRef, useState } from 'react';
import { useLeaveGuard } from '../app/navigation/use-leave-guard.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { AlertDialog } from '../ui/dialog.tsx';
import { Line, Note, Stack } from '../ui/layout.tsx';
import { t } from './messages.ts';
import styles from './second-factor.module.css';

const words = t.codes;

/** The one moment in which the recovery codes can be read. Leaving before they were kept asks first. */
export function RecoveryCodes(props: {
  readonly codes: readonly string[];
  readonly email: string;
  readonly onDone: () => void;
}) {
  const { codes, email, onDone } = props;
  const [isKept, setKept] = useState(false);
  const guard = useLeaveGuard(!isKept);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.focus(), []);
  const keep = (): void => setKept(true);
  return (
    <Stack>
      <Note tone="muted">{words.text}</Note>
      <ul className={styles.codes} ref={list} tabIndex={-1} aria-label={words.list} onCopy={keep}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Line>
        <CopyButton text={codes.join('\n')} onCopied={keep}>
          {words.copy}
        </CopyButton>
        <Button
          isSmall
          icon="download"
          onPress={() => {
            download(email, codes);
            keep();
          }}
        >
          {words.download}
        </Button>
      </Line>
      <div>
        <Button kind="main" onPress={onDone} whyNot={isKept ? undefined : words.doneFirst}>
          {words.done}
        </Button>
      </div>
      <AlertDialog
        isOpen={guard.isAsking}
        onClose={guard.stay}
        title={words.leaveTitle}
        action={words.leaveAction}
        onAction={guard.leave}
        isDanger
      >
        {words.leave}
      </AlertDialog>
    </Stack>
  );
}

function download(email: string, codes: readonly string[]): void {
  const text = `${words.fileHead(email, location.origin)}\n\n${codes.join('\n')}\n`;
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = words.fileName;
  link.click();
  URL.revokeObjectURL(address);
}
