import { unwrap } from '../../api/client.ts';
import { useChange } from '../../app/changes/use-change.ts';
import { usePreference } from '../../app/preferences/use-preferences.ts';
import { useApi } from '../../app/services.ts';
import type { Snippet } from '../../app/snippets/sdk-snippets.ts';
import { Button } from '../../ui/button.tsx';
import { SegmentedControl } from '../../ui/choice.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Line, Note, Stack } from '../../ui/layout.tsx';
import { Notice } from '../../ui/surface.tsx';
import { t } from './messages.ts';
import styles from './path.module.css';
import type { ApiKey, PathFacts } from './use-path.ts';

/** A key with its secret, which only the answer that made it has. */
export type MadeKey = ApiKey & { readonly key?: string };

const SDKS = ['node', 'browser', 'react', 'ofrep'] as const satisfies readonly Snippet['id'][];
type SdkChoice = (typeof SDKS)[number];

/** Pages show their key to every visitor, so they have a kind of their own. */
export const kindFor = (sdk: SdkChoice): 'client' | 'server' =>
  sdk === 'browser' || sdk === 'react' ? 'client' : 'server';

/** The SDK that the snippets are for, the same on every device. */
export function useSdkChoice(): readonly [SdkChoice, (sdk: SdkChoice) => void] {
  const [sdk, setSdk] = usePreference<SdkChoice>('start.sdk', 'node');
  return [SDKS.includes(sdk) ? sdk : 'node', setSdk];
}

/** Makes a key for the chosen SDK and shows it once. */
export function KeyStep(props: {
  readonly facts: PathFacts;
  readonly made: MadeKey | undefined;
  readonly onMade: (key: MadeKey) => void;
  readonly onCopied: () => void;
}) {
  const { facts, made, onMade, onCopied } = props;
  const { environment, keys } = facts;
  const api = useApi();
  const [sdk, setSdk] = useSdkChoice();
  const kind = kindFor(sdk);
  const known = keys.find((key) => key.kind === kind);
  const change = useChange({
    send: (name: string) =>
      unwrap(
        api.POST('/api/v1/environments/{environment_id}/api-keys', {
          params: { path: { environment_id: environment.id } },
          body: { name, kind },
        }),
      ),
    outdates: ['flag', 'api_key', 'audit'],
    onSaved: ({ data }) => onMade(data as MadeKey),
  });
  return (
    <Stack gap="close">
      <div className={styles.scroller}>
        <SegmentedControl
          label={t.key.sdk}
          choices={SDKS.map((id) => ({ id, label: t.key.sdks[id] }))}
          value={sdk}
          onChange={setSdk}
        />
      </div>
      {change.problem && <ErrorState problem={change.problem} />}
      {made?.kind === kind && made.key !== undefined ? (
        <Secret secret={made.key} isForPages={kind === 'client'} onCopied={onCopied} />
      ) : (
        <Line isWide>
          <Button
            kind={known ? 'plain' : 'main'}
            icon="key"
            isPending={change.state === 'saving'}
            onPress={() => void change.save(t.key.name(keys.length + 1))}
          >
            {known ? t.key.another : t.key.submit(environment.name)}
          </Button>
          <Note tone="muted">
            {known ? t.key.known(`${known.prefix}…${known.last_four}`) : t.key.note[kind]}
          </Note>
        </Line>
      )}
    </Stack>
  );
}

function Secret(props: {
  readonly secret: string;
  readonly isForPages: boolean;
  readonly onCopied: () => void;
}) {
  const { secret, isForPages, onCopied } = props;
  const text = isForPages ? secret : `export FLAGSVC_API_KEY=${secret}`;
  return (
    <Notice
      tone="good"
      title={isForPages ? t.key.once : t.key.onceShell}
      actions={
        <CopyButton text={text} kind="main" onCopied={onCopied}>
          {t.key.copy}
        </CopyButton>
      }
    >
      <code className={styles.secret} onCopy={onCopied}>
        {text}
      </code>
    </Notice>
  );
}
