import { useScope } from '../app/scope/use-scope.ts';
import { toMs } from '../i18n/format-time.ts';
import { Badge, EnvironmentBadge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import type { ListColumn } from '../ui/data-list.tsx';
import { Note } from '../ui/layout.tsx';
import { Link } from '../ui/link.tsx';
import { Time, useNow } from '../ui/time.tsx';
import styles from './api-keys.module.css';
import type { KeySearch } from './key-search.ts';
import { t } from './messages.ts';
import type { ApiKey } from './use-api-keys.ts';

const DAY_MS = 86_400_000;
/** A key that nobody used for this long is probably forgotten. */
const FORGOTTEN_MS = 60 * DAY_MS;
/** An expiry this near needs a person. */
const SOON_MS = 14 * DAY_MS;

/** The columns of the list. `hrefOf` is the address of a key's dialog. */
export function useKeyColumns(props: {
  readonly onDo: (what: NonNullable<KeySearch['do']>, id: string) => void;
  readonly newId: string | undefined;
}): readonly ListColumn<ApiKey>[] {
  const { onDo, newId } = props;
  const { environments, hrefTo } = useScope();
  return [
    {
      id: 'name',
      label: t.columns.name,
      isMain: true,
      cell: ({ id, name, prefix, last_four: lastFour, status }) => (
        <div className={styles.name}>
          {status === 'revoked' ? (
            <Note tone="muted">{name}</Note>
          ) : (
            <Link isPlain href={hrefTo('settings/api-keys', { do: 'edit', key: id })}>
              {name}
            </Link>
          )}
          <code>{`${prefix}…${lastFour}`}</code>
        </div>
      ),
    },
    { id: 'kind', label: t.columns.kind, cell: (key) => <Kind apiKey={key} /> },
    {
      id: 'environment',
      label: t.columns.environment,
      cell: ({ environment_id: id }) => {
        const environment = environments.find((one) => one.id === id);
        return environment && <EnvironmentBadge environment={environment} />;
      },
    },
    { id: 'used', label: t.columns.used, isNamed: true, cell: (key) => <Used apiKey={key} /> },
    { id: 'expires', label: t.columns.expires, isNamed: true, cell: (key) => <Expires apiKey={key} /> },
    {
      id: 'status',
      label: t.columns.status,
      cell: (key) => <Status apiKey={key} isNew={key.id === newId} />,
    },
    {
      id: 'actions',
      label: t.columns.actions,
      isNumber: true,
      cell: (key) => <Actions apiKey={key} onDo={onDo} />,
    },
  ];
}

function Kind({ apiKey }: { readonly apiKey: ApiKey }) {
  const { kind, allowed_origins: origins, allowed_ips: addresses, rate_limits: limits } = apiKey;
  const notes = [
    origins.length > 0 && t.origins(origins.length),
    addresses.length > 0 && t.addresses(addresses.length),
    Object.keys(limits).length > 0 && t.ownLimits,
  ].filter((note) => note !== false);
  return (
    <>
      <Note tone="muted">{t.kinds[kind]}</Note>
      {notes.length > 0 && (
        <>
          <br />
          <Note tone="faint" isSmall>
            {notes.join(', ')}
          </Note>
        </>
      )}
    </>
  );
}

function Used({ apiKey: { last_used_at: at, status } }: { readonly apiKey: ApiKey }) {
  const now = useNow();
  if (at === null) return <Note tone="faint">{t.neverUsed}</Note>;
  const isForgotten = status !== 'revoked' && now - toMs(at) > FORGOTTEN_MS;
  return isForgotten ? (
    <Note tone="warn">
      <Time at={at} />
    </Note>
  ) : (
    <Time at={at} />
  );
}

function Expires({ apiKey: { expires_at: at, status } }: { readonly apiKey: ApiKey }) {
  const now = useNow();
  if (at === null) return <Note tone="faint">{t.never}</Note>;
  const isSoon = status === 'active' && toMs(at) - now < SOON_MS;
  return isSoon ? (
    <Note tone="warn">
      <Time at={at} />
    </Note>
  ) : (
    <Time at={at} />
  );
}

function Status({ apiKey, isNew }: { readonly apiKey: ApiKey; readonly isNew: boolean }) {
  const { status, rotation_ends_at: ends } = apiKey;
  if (status === 'rotating' && ends !== null)
    return (
      <Badge tone="warn">
        {t.rotating} <Time at={ends} />
      </Badge>
    );
  if (status === 'expired') return <Badge tone="bad">{t.status.expired}</Badge>;
  if (status === 'revoked') return <Badge>{t.status.revoked}</Badge>;
  return isNew ? <Badge tone="info">{t.status.new}</Badge> : <Note tone="faint">{t.status.active}</Note>;
}

function Actions(props: {
  readonly apiKey: ApiKey;
  readonly onDo: (what: 'rotate' | 'revoke', id: string) => void;
}) {
  const { apiKey, onDo } = props;
  const { environments } = useScope();
  const { id, status } = apiKey;
  const place = environments.find((one) => one.id === apiKey.environment_id)?.name ?? '';
  if (status === 'revoked') return null;
  return (
    <div className={styles.actions}>
      {status !== 'expired' && (
        <Button
          kind="quiet"
          isSmall
          aria-label={t.nameOf(t.rotate, apiKey.name, place)}
          onPress={() => onDo('rotate', id)}
        >
          {t.rotate}
        </Button>
      )}
      <Button
        kind="quiet"
        isSmall
        aria-label={t.nameOf(t.revoke, apiKey.name, place)}
        onPress={() => onDo('revoke', id)}
      >
        {t.revoke}
      </Button>
    </div>
  );
}
