import { useState } from 'react';
import { useScope } from '../app/scope/use-scope.ts';
import { ShownOnce } from '../app/secrets/shown-once.tsx';
import { type Snippet, snippetsFor } from '../app/snippets/sdk-snippets.ts';
import { Badge, EnvironmentBadge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { SegmentedControl } from '../ui/choice.tsx';
import { CodeBlock } from '../ui/copy.tsx';
import { Note } from '../ui/layout.tsx';
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
  const environment = environments.find(({ id }) => id === made.environment_id);
  return (
    <ShownOnce
      title={
        made.status === 'rotating' || made.revision > 1 ? t.made.rotated(made.name) : t.made.title(made.name)
      }
      badges={
        <>
          {environment && <EnvironmentBadge environment={environment} />}
          <Badge>{t.kinds[made.kind]}</Badge>
        </>
      }
      secret={made.key}
      noSecret={t.made.noSecret}
      copy={t.made.copy}
      leave={{ title: t.made.leaveTitle, text: t.made.leave }}
      onDone={onDone}
    >
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
    </ShownOnce>
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
