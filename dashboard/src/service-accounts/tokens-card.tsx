import { toProblem } from '../api/problem.ts';
import { toMs } from '../i18n/format-time.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { DataList, type ListColumn } from '../ui/data-list.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Line, Note, Push, Stack } from '../ui/layout.tsx';
import { EmptyState } from '../ui/surface.tsx';
import { Time, useNow } from '../ui/time.tsx';
import { t } from './messages.ts';
import styles from './service-accounts.module.css';
import { widestScope } from './token-scopes.ts';
import type { Token, useTokens } from './use-accounts.ts';

/** An expiry this near needs a person. */
const SOON_MS = 14 * 86_400_000;

/** The tokens of an account: what each may do, when it was used, when it ends. */
export function TokensCard(props: {
  readonly tokens: ReturnType<typeof useTokens>;
  readonly onNew: () => void;
  readonly onDo: (what: 'rotate' | 'revoke', id: string) => void;
}) {
  const { tokens, onNew, onDo } = props;
  const words = t.tokens;
  return (
    <section aria-labelledby="tokens">
      <Stack gap="close">
        <Line>
          <h2 id="tokens">{words.title}</h2>
          <Push>
            <Button kind="main" icon="plus" onPress={onNew}>
              {words.new}
            </Button>
          </Push>
        </Line>
        <DataList
          label={words.title}
          columns={columnsOf(onDo)}
          rows={tokens.data}
          rowId={({ id }) => id}
          textOf={({ name, last_four: lastFour }) => `${name}\n${lastFour}`}
          error={
            tokens.error && !tokens.data ? (
              <ErrorState problem={toProblem(tokens.error)} onRetry={() => void tokens.refetch()} />
            ) : undefined
          }
          empty={
            <EmptyState icon="key" title={words.none}>
              {words.noneText}
            </EmptyState>
          }
        />
      </Stack>
    </section>
  );
}

function columnsOf(onDo: (what: 'rotate' | 'revoke', id: string) => void): readonly ListColumn<Token>[] {
  const words = t.tokens;
  return [
    {
      id: 'name',
      label: words.columns.name,
      isMain: true,
      cell: ({ name, last_four: lastFour }) => (
        <div className={styles.token}>
          {name}
          <code>{`svc_…${lastFour}`}</code>
        </div>
      ),
    },
    {
      id: 'scopes',
      label: words.columns.scopes,
      cell: ({ scopes }) => <Note tone="muted">{words.scopes[widestScope(scopes)]}</Note>,
    },
    {
      id: 'used',
      label: words.columns.used,
      isNamed: true,
      cell: ({ last_used_at: at }) =>
        at === null ? <Note tone="faint">{t.neverUsed}</Note> : <Time at={at} />,
    },
    {
      id: 'expires',
      label: words.columns.expires,
      isNamed: true,
      cell: (token) => <Expires token={token} />,
    },
    {
      id: 'actions',
      label: words.columns.actions,
      isNumber: true,
      cell: ({ id, name }) => (
        <div className={styles.actions}>
          {(['rotate', 'revoke'] as const).map((verb) => (
            <Button
              key={verb}
              kind="quiet"
              isSmall
              aria-label={words.nameOf(words[verb], name)}
              onPress={() => onDo(verb, id)}
            >
              {words[verb]}
            </Button>
          ))}
        </div>
      ),
    },
  ];
}

function Expires({ token: { status, expires_at: at } }: { readonly token: Token }) {
  const now = useNow();
  if (status === 'expired') return <Badge tone="bad">{t.tokens.expired}</Badge>;
  return toMs(at) - now < SOON_MS ? (
    <Note tone="warn">
      <Time at={at} />
    </Note>
  ) : (
    <Time at={at} />
  );
}
