import { toMs } from '../i18n/format-time.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import type { ListColumn } from '../ui/data-list.tsx';
import { Note } from '../ui/layout.tsx';
import { Time, useNow } from '../ui/time.tsx';
import { t } from './messages.ts';
import styles from './personal-tokens.module.css';
import type { Token } from './use-tokens.ts';

const DAY_MS = 86_400_000;
/** A token that nobody used for this long is probably forgotten. */
const FORGOTTEN_MS = 60 * DAY_MS;
/** An expiry this near needs a person. */
const SOON_MS = 14 * DAY_MS;

/** The columns of the list. */
export function tokenColumns(props: {
  readonly newId: string | undefined;
  readonly onRevoke: (id: string) => void;
}): readonly ListColumn<Token>[] {
  const { newId, onRevoke } = props;
  return [
    {
      id: 'name',
      label: t.columns.name,
      isMain: true,
      cell: ({ name, last_four: lastFour }) => (
        <div className={styles.name}>
          {name}
          <code>{`pat_…${lastFour}`}</code>
        </div>
      ),
    },
    {
      id: 'scope',
      label: t.columns.scope,
      cell: ({ scopes }) => <Note tone="muted">{scopes.map((scope) => t.scopes[scope]).join(', ')}</Note>,
    },
    { id: 'used', label: t.columns.used, isNamed: true, cell: (token) => <Used token={token} /> },
    { id: 'expires', label: t.columns.expires, isNamed: true, cell: (token) => <Expires token={token} /> },
    {
      id: 'status',
      label: t.columns.status,
      cell: ({ id, status }) =>
        status === 'expired' ? (
          <Badge tone="bad">{t.expired}</Badge>
        ) : id === newId ? (
          <Badge tone="info">{t.fresh}</Badge>
        ) : (
          <Note tone="faint">{t.active}</Note>
        ),
    },
    {
      id: 'actions',
      label: t.columns.actions,
      isNumber: true,
      cell: ({ id, name }) => (
        <Button kind="quiet" isSmall aria-label={t.nameOf(name)} onPress={() => onRevoke(id)}>
          {t.revoke}
        </Button>
      ),
    },
  ];
}

function Used({ token: { last_used_at: at, created_at: since } }: { readonly token: Token }) {
  const now = useNow();
  const isForgotten = now - toMs(at ?? since) > FORGOTTEN_MS;
  const words = at === null ? t.neverUsed : <Time at={at} />;
  if (isForgotten) return <Note tone="warn">{words}</Note>;
  return at === null ? <Note tone="faint">{words}</Note> : words;
}

function Expires({ token: { expires_at: at, status } }: { readonly token: Token }) {
  const now = useNow();
  const isSoon = status === 'active' && toMs(at) - now < SOON_MS;
  return isSoon ? (
    <Note tone="warn">
      <Time at={at} />
    </Note>
  ) : (
    <Time at={at} />
  );
}
