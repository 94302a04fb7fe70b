import { useEffect, useRef, useState } from 'react';
import { useLeaveGuard } from '../app/navigation/use-leave-guard.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { type Snippet, snippetsFor } from '../app/snippets/sdk-snippets.ts';
import { Badge, EnvironmentBadge } from '../ui/badge.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { SegmentedControl } from '../ui/choice.tsx';
import { CodeBlock, CopyButton } from '../ui/copy.tsx';
import { AlertDialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { Time } from '../ui/time.tsx';
import styles from './api-keys.module.css';
import { t } from './messages.ts';
import type { MadeKey } from './use-api-keys.ts';

interface MadeKeyCardProps {
  readonly made: MadeKey;
  /** When the key was first used after it was made; undefined so far. */
  readonly usedAt: string | undefined;
  readonly onDone: () => void;
  readonly onMakeClient: () => void;
}

/** The one place that shows a secret, with what to do with it. Leaving before it was copied asks first. */
export function MadeKeyCard({ made, usedAt, onDone, onMakeClient }: MadeKeyCardProps) {
  const { environments } = useScope();
  const [isCopied, setCopied] = useState(false);
  const [isClosing, setClosing] = useState(false);
  const guard = useLeaveGuard(!isCopied && made.key !== undefined);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const environment = environments.find(({ id }) => id === made.environment_id);
  return (
    <section className={styles.made} aria-labelledby="made-key">
      <div className={styles.madeHead}>
        <Note tone="good">
          <Icon name="check" />
        </Note>
        <h2 id="made-key" ref={title} tabIndex={-1}>
          {made.status === 'rotating' || made.revision > 1
            ? t.made.rotated(made.name)
            : t.made.title(made.name)}
        </h2>
        {environment && <EnvironmentBadge environment={environment} />}
        <Badge>{t.kinds[made.kind]}</Badge>
        <span className={styles.madeEnd}>
          <IconButton
            icon="close"
            label={t.made.done}
            isSmall
            onPress={() => (isCopied || made.key === undefined ? onDone() : setClosing(true))}
          />
        </span>
      </div>
      <div className={styles.madeBody}>
        {made.key === undefined ? (
          <p>{t.made.noSecret}</p>
        ) : (
          <Secret secret={made.key} onCopied={() => setCopied(true)} />
        )}
        <Snippets made={made} onMakeClient={onMakeClient} />
        <p className={styles.beat} role="status">
          {usedAt === undefined ? (
            <Note tone="muted">{t.made.waiting}</Note>
          ) : (
            <Note tone="good">
              {t.made.arrived} <Time at={usedAt} />
            </Note>
          )}
        </p>
      </div>
      <AlertDialog
        isOpen={isClosing || guard.isAsking}
        onClose={() => {
          setClosing(false);
          guard.stay();
        }}
        title={t.made.leaveTitle}
        action={t.made.leaveAction}
        onAction={() => (guard.isAsking ? guard.leave() : onDone())}
        isDanger
      >
        {t.made.leave}
      </AlertDialog>
    </section>
  );
}

function Secret({ secret, onCopied }: { readonly secret: string; readonly onCopied: () => void }) {
  return (
    <Stack gap="close">
      <p>{t.made.copyNow}</p>
      <div className={styles.secret}>
        <code onCopy={onCopied}>{secret}</code>
        <CopyButton text={secret} kind="main" onCopied={onCopied}>
          {t.made.copy}
        </CopyButton>
      </div>
    </Stack>
  );
}

function Snippets({ made, onMakeClient }: Pick<MadeKeyCardProps, 'made' | 'onMakeClient'>) {
  const isForPages = made.kind === 'client';
  const [chosen, setChosen] = useState<Snippet['id']>(isForPages ? 'browser' : 'node');
  const hint = `${made.prefix}…${made.last_four}`;
  const all = snippetsFor({ key: made.key ?? hint, origin: location.origin, hint });
  const snippets = all.filter(({ id }) => id !== 'ofrep');
  const snippet = snippets.find(({ id }) => id === chosen)!;
  return (
    <div className={styles.snippets}>
      <SegmentedControl
        label={t.made.snippets}
        choices={snippets.map(({ id, label }) => ({ id, label }))}
        value={chosen}
        onChange={setChosen}
      />
      {snippet.isPage && !isForPages ? (
        <p className={styles.wrongKind}>
          {t.made.needsClient}{' '}
          <Button kind="text" onPress={onMakeClient}>
            {t.made.makeClient}
          </Button>
        </p>
      ) : (
        <>
          <CodeBlock title={snippet.install} code={snippet.code} />
          {!snippet.isPage && isForPages && <Note tone="faint">{t.made.needsServer}</Note>}
        </>
      )}
    </div>
  );
}
