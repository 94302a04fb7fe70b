import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { isMissing, toProblem } from '../api/problem.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useSearchState } from '../app/navigation/use-search-state.ts';
import { RoleCell, WhereCell } from '../app/rights/rights-words.tsx';
import { usePlaces } from '../app/rights/use-places.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Badge } from '../ui/badge.tsx';
import { Button, ButtonLink, IconButton } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { Menu } from '../ui/menu.tsx';
import { Card, EmptyState, Facts, Notice, PageHeader, Skeleton } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { type AccountSearch, parseAccountSearch } from './account-search.ts';
import { t } from './messages.ts';
import { TokensCard } from './tokens-card.tsx';
import { type Account, type MadeToken, useAccount, useTokens } from './use-accounts.ts';
import { useDisabled } from './use-disabled.ts';

const AccountDialogs = lazy(async () => ({
  default: (await import('./account-dialogs.tsx')).AccountDialogs,
}));

const LIST = 'settings/service-accounts';

/** One service account: its rights and its tokens. */
export function AccountPage() {
  const { account: id } = useParams({ strict: false }) as { readonly account: string };
  const { role, hrefTo } = useScope();
  const account = useAccount(id);
  usePage(account.data?.name ?? t.title, [
    { label: t.settings, href: hrefTo('settings') },
    { label: t.title, href: hrefTo(LIST) },
  ]);
  if (role !== 'admin')
    return (
      <>
        <PageHeader title={t.title} />
        <EmptyState icon="lock" title={t.adminsTitle}>
          {t.adminsText}
        </EmptyState>
      </>
    );
  if (account.data) return <Shown account={account.data} />;
  const problem = account.error && toProblem(account.error);
  return (
    <>
      <PageHeader title={t.title} />
      {problem === null ? (
        <Skeleton lines={6} label={t.title} />
      ) : isMissing(problem) ? (
        <EmptyState
          icon="code"
          title={t.gone.title}
          actions={<ButtonLink href={hrefTo(LIST)}>{t.gone.action}</ButtonLink>}
        >
          {t.gone.text}
        </EmptyState>
      ) : (
        <ErrorState problem={problem} onRetry={() => void account.refetch()} />
      )}
    </>
  );
}

function Shown({ account }: { readonly account: Account }) {
  const [search, setSearch] = useSearchState(parseAccountSearch);
  const [made, setMade] = useState<MadeToken>();
  const tokens = useTokens(account.id);
  const { name, description, kind, status } = account;
  const open = (part: Partial<AccountSearch>): void => setSearch(part);
  const isOpen = search.do !== undefined || made !== undefined;
  return (
    <>
      <PageHeader
        title={name}
        beside={status === 'disabled' && <Badge tone="warn">{t.disabled}</Badge>}
        {...(kind === 'agent' && { meta: <Note tone="faint">{t.agentNote}</Note> })}
        {...(description !== '' && { intro: description })}
        actions={<Actions account={account} onDo={(what) => open({ do: what })} />}
      />
      <Stack gap="far">
        {status === 'disabled' && (
          <Notice tone="warn" title={t.disabledTitle}>
            {t.disabledText}
          </Notice>
        )}
        <TokensCard
          tokens={tokens}
          onNew={() => open({ do: 'token' })}
          onDo={(what, token) => open({ do: what, token })}
        />
        <RightsCard account={account} />
      </Stack>
      {isOpen && (
        <Suspense>
          <AccountDialogs
            account={account}
            tokens={tokens.data}
            search={search}
            made={made}
            onMade={setMade}
            onClose={() => open({ do: undefined, token: undefined })}
          />
        </Suspense>
      )}
    </>
  );
}

function Actions(props: {
  readonly account: Account;
  readonly onDo: (what: 'edit' | 'disable' | 'delete') => void;
}) {
  const { account, onDo } = props;
  const disabled = useDisabled(account);
  const isOff = account.status === 'disabled';
  return (
    <>
      <Button icon="pencil" onPress={() => onDo('edit')}>
        {t.edit}
      </Button>
      {isOff && (
        <Button onPress={() => void disabled.save(false)} isPending={disabled.state === 'saving'}>
          {t.enable}
        </Button>
      )}
      <Menu
        label={t.more(account.name)}
        groups={[
          {
            entries: [
              ...(isOff
                ? []
                : [{ id: 'disable', label: t.disable, icon: 'power' as const, run: () => onDo('disable') }]),
              {
                id: 'delete',
                label: t.delete,
                icon: 'trash' as const,
                isDanger: true,
                run: () => onDo('delete'),
              },
            ],
          },
        ]}
      >
        <IconButton icon="dots" label={t.more(account.name)} kind="plain" />
      </Menu>
    </>
  );
}

function RightsCard({ account }: { readonly account: Account }) {
  const places = usePlaces();
  return (
    <Card title={t.about}>
      <Facts
        facts={[
          [t.facts.kind, t.kinds[account.kind]],
          [t.facts.role, <RoleCell key="role" rights={account} places={places} />],
          [t.facts.where, <WhereCell key="where" rights={account} places={places} />],
          [
            t.facts.used,
            account.last_used_at === null ? (
              <Note key="used" tone="faint">
                {t.neverUsed}
              </Note>
            ) : (
              <Time key="used" at={account.last_used_at} />
            ),
          ],
          [t.facts.made, <Time key="made" at={account.created_at} />],
        ]}
      />
    </Card>
  );
}
