import { lazy, Suspense } from 'react';
import { toProblem } from '../api/problem.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useSearchState } from '../app/navigation/use-search-state.ts';
import { useTypedText } from '../app/navigation/use-typed-text.ts';
import { useActions } from '../app/palette/actions.ts';
import { RoleCell, WhereCell } from '../app/rights/rights-words.tsx';
import { usePlaces } from '../app/rights/use-places.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Avatar, Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { DataList, type ListColumn } from '../ui/data-list.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Note } from '../ui/layout.tsx';
import { Link } from '../ui/link.tsx';
import { EmptyState, PageHeader } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { parseAccountsSearch } from './account-search.ts';
import { t } from './messages.ts';
import styles from './service-accounts.module.css';
import { type Account, useAccounts } from './use-accounts.ts';

const NewAccountDialog = lazy(async () => ({
  default: (await import('./new-account-dialog.tsx')).NewAccountDialog,
}));

/** The accounts of programs, with what each may do and when it was last used. */
export function AccountsPage() {
  const { role, hrefTo } = useScope();
  usePage(t.title, [{ label: t.settings, href: hrefTo('settings') }]);
  const [search, setSearch] = useSearchState(parseAccountsSearch);
  const isAdmin = role === 'admin';
  const openNew = () => setSearch({ do: 'new' });
  useActions(isAdmin ? [{ id: 'service-account.new', label: t.new, run: openNew }] : []);
  return (
    <>
      <PageHeader
        title={t.title}
        intro={t.intro}
        actions={
          <Button kind="main" icon="plus" onPress={openNew} whyNot={isAdmin ? undefined : t.onlyAdmins}>
            {t.new}
          </Button>
        }
      />
      {isAdmin ? (
        <AccountList
          q={search.q ?? ''}
          onSearch={(q) => setSearch({ q }, { replace: true })}
          onNew={openNew}
        />
      ) : (
        <EmptyState icon="lock" title={t.adminsTitle}>
          {t.adminsText}
        </EmptyState>
      )}
      {isAdmin && search.do === 'new' && (
        <Suspense>
          <NewAccountDialog onClose={() => setSearch({ do: undefined })} />
        </Suspense>
      )}
    </>
  );
}

function AccountList(props: {
  readonly q: string;
  readonly onSearch: (q: string) => void;
  readonly onNew: () => void;
}) {
  const { q, onSearch, onNew } = props;
  const accounts = useAccounts(true);
  const columns = useAccountColumns();
  const text = useTypedText(q, onSearch);
  const rows = accounts.data?.filter(({ name, description }) =>
    `${name}\n${description}`.toLocaleLowerCase().includes(q.trim().toLocaleLowerCase()),
  );
  return (
    <DataList
      label={t.title}
      columns={columns}
      rows={rows}
      rowId={({ id }) => id}
      search={{ ...text, placeholder: t.search }}
      {...(rows && { count: t.count(rows.length) })}
      error={
        accounts.error && !accounts.data ? (
          <ErrorState problem={toProblem(accounts.error)} onRetry={() => void accounts.refetch()} />
        ) : undefined
      }
      empty={
        q === '' ? (
          <EmptyState icon="code" title={t.none} actions={<Button onPress={onNew}>{t.new}</Button>}>
            {t.noneText}
          </EmptyState>
        ) : (
          <EmptyState icon="search" title={t.nothingFits}>
            {t.nothingFitsText}
          </EmptyState>
        )
      }
    />
  );
}

function useAccountColumns(): readonly ListColumn<Account>[] {
  const { hrefTo } = useScope();
  const places = usePlaces();
  return [
    {
      id: 'account',
      label: t.columns.account,
      isMain: true,
      cell: ({ id, name, description, kind }) => (
        <div className={styles.account}>
          <Avatar name={name} isProgram />
          <div className={styles.name}>
            <span className={styles.nameLine}>
              <Link isPlain href={hrefTo(`settings/service-accounts/${id}`)}>
                {name}
              </Link>
            </span>
            {description !== '' && <span className={styles.description}>{description}</span>}
            {kind === 'agent' && <span className={styles.description}>{t.agentNote}</span>}
          </div>
        </div>
      ),
    },
    { id: 'role', label: t.columns.role, cell: (one) => <RoleCell rights={one} places={places} /> },
    {
      id: 'where',
      label: t.columns.where,
      isNamed: true,
      cell: (one) => <WhereCell rights={one} places={places} />,
    },
    {
      id: 'used',
      label: t.columns.used,
      isNamed: true,
      cell: ({ last_used_at: at }) =>
        at === null ? <Note tone="faint">{t.neverUsed}</Note> : <Time at={at} />,
    },
    {
      id: 'status',
      label: t.columns.status,
      cell: ({ status }) =>
        status === 'disabled' ? (
          <Badge tone="warn">{t.disabled}</Badge>
        ) : (
          <Note tone="faint">{t.active}</Note>
        ),
    },
  ];
}
