import { unwrap } from '../../api/client.ts';
import { useChange } from '../../app/changes/use-change.ts';
import { useApi } from '../../app/services.ts';
import { snippetsFor } from '../../app/snippets/sdk-snippets.ts';
import { toMs } from '../../i18n/format-time.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { CodeBlock } from '../../ui/copy.tsx';
import { Stack } from '../../ui/layout.tsx';
import { Notice } from '../../ui/surface.tsx';
import { Time } from '../../ui/time.tsx';
import type { ProjectFlag } from '../use-needs.ts';
import { kindFor, type MadeKey, useSdkChoice } from './key-step.tsx';
import { t } from './messages.ts';
import styles from './path.module.css';
import { useFlagDetails } from './use-flag-details.ts';
import type { PathFacts } from './use-path.ts';

/** The code for the app, and its heartbeat once it runs. */
export function AppStep(props: {
  readonly facts: PathFacts;
  readonly flag: ProjectFlag | undefined;
  readonly made: MadeKey | undefined;
}) {
  const { facts, flag, made } = props;
  const [sdk] = useSdkChoice();
  const kind = kindFor(sdk);
  const key = facts.keys.find((one) => one.kind === kind);
  const shown = made?.kind === kind ? made : undefined;
  const hint = key ? `${key.prefix}…${key.last_four}` : t.app.noKey;
  const snippet = snippetsFor({
    key: shown?.key ?? hint,
    origin: location.origin,
    hint,
    flagKey: flag?.key ?? t.app.noFlag,
    isWatching: true,
  }).find(({ id }) => id === sdk)!;
  return (
    <Stack gap="close">
      <CodeBlock title={snippet.install} code={snippet.code} />
      {kind === 'client' && flag && <ClientSide facts={facts} flag={flag} />}
      <Heartbeat facts={facts} />
    </Stack>
  );
}

/** A browser gets only flags that are marked for it. */
function ClientSide(props: { readonly facts: PathFacts; readonly flag: ProjectFlag }) {
  const { facts, flag } = props;
  const api = useApi();
  const details = useFlagDetails(flag.id, facts.environment.id);
  const change = useChange({
    send: () =>
      unwrap(
        api.PATCH('/api/v1/flags/{flag_id}', {
          params: { path: { flag_id: flag.id }, query: { environment_id: facts.environment.id } },
          body: { instructions: [{ op: 'set_client_side', client_side: true }] },
        }),
      ),
    outdates: ['flag', 'audit'],
  });
  if (details === undefined || details.client_side) return null;
  return (
    <Notice
      tone="warn"
      title={t.app.notForClients(flag.name)}
      actions={
        <Button isSmall isPending={change.state === 'saving'} onPress={() => void change.save(undefined)}>
          {t.app.allowClients}
        </Button>
      }
    >
      {change.problem ? change.problem.message : t.app.notForClientsText}
    </Notice>
  );
}

function Heartbeat({ facts: { sdks, keys } }: { readonly facts: PathFacts }) {
  const [sdk] = sdks;
  const used = keys
    .flatMap(({ last_used_at: at }) => (at === null ? [] : [at]))
    .toSorted((left, right) => toMs(right) - toMs(left))[0];
  return (
    <p className={classes(styles.beat, sdk === undefined && styles.waiting)} role="status">
      {sdk ? (
        <span>
          <b>{t.app.seen}</b> {sdk.name} {sdk.version}, <Time at={sdk.last_seen_at} />
        </span>
      ) : used === undefined ? (
        t.app.waiting
      ) : (
        <span>
          <b>{t.app.used}</b> <Time at={used} />. {t.app.usedText}
        </span>
      )}
    </p>
  );
}
