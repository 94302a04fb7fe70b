import { useState } from 'react';
import { toProblem } from '../api/problem.ts';
import type { Webhook } from '../api/types.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useSearchState } from '../app/navigation/use-search-state.ts';
import { useActions } from '../app/palette/actions.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Button } from '../ui/button.tsx';
import { DataList, type ListColumn } from '../ui/data-list.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Note } from '../ui/layout.tsx';
import { Link } from '../ui/link.tsx';
import { EmptyState, PageHeader } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { t } from './messages.ts';
import { SecretDialog, type ShownSecret } from './secret-dialog.tsx';
import { useWebhooks } from './use-webhooks.ts';
import { WebhookDialog } from './webhook-dialog.tsx';
import { parseListSearch } from './webhook-search.ts';
import { EnvironmentsCell, StateCell } from './webhook-state.tsx';
import { eventWords, nameOf } from './webhook-words.ts';
import styles from './webhooks.module.css';

/** All webhooks of the organization with what state they are in. */
export function WebhooksPage() {
  usePage(t.title);
  const { me } = useScope();
  const [search, setSearch] = useSearchState(parseListSearch);
  const [secret, setSecret] = useState<ShownSecret>();
  const isAdmin = me.role === 'admin';
  const openNew = () => setSearch({ open: 'new' });
  useActions(isAdmin ? [{ id: 'webhook.new', label: t.new, run: openNew }] : []);
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
        <WebhookList
          q={search.q ?? ''}
          onSearch={(q) => setSearch({ q }, { replace: true })}
          onNew={openNew}
        />
      ) : (
        <EmptyState icon="lock" title={t.adminsOnlyTitle}>
          {t.adminsOnlyText}
        </EmptyState>
      )}
      {isAdmin && search.open === 'new' && (
        <WebhookDialog
          webhook={undefined}
          onClose={() => setSearch({ open: undefined })}
          onCreated={(created) => setSecret(created)}
        />
      )}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}

function WebhookList(props: {
  readonly q: string;
  readonly onSearch: (q: string) => void;
  readonly onNew: () => void;
}) {
  const { q, onSearch, onNew } = props;
  const { hrefTo } = useScope();
  const webhooks = useWebhooks();
  const rows = webhooks.data?.filter((webhook) => isFound(webhook, q));
  const columns: readonly ListColumn<Webhook>[] = [
    {
      id: 'webhook',
      label: t.columns.webhook,
      isMain: true,
      cell: (webhook) => (
        <div className={styles.two}>
          <Link href={hrefTo(`webhooks/${webhook.id}`)} isPlain>
            {nameOf(webhook)}
          </Link>
          <span className={styles.address}>{webhook.url}</span>
        </div>
      ),
    },
    { id: 'state', label: t.columns.state, isMain: true, cell: (webhook) => <StateCell webhook={webhook} /> },
    { id: 'events', label: t.columns.events, isMain: true, cell: ({ events }) => eventWords(events) },
    {
      id: 'environments',
      label: t.columns.environments,
      cell: (webhook) => <EnvironmentsCell webhook={webhook} />,
    },
    {
      id: 'success',
      label: t.columns.success,
      isNumber: true,
      isNamed: true,
      cell: ({ last_success_at: at }) => (
        <Note tone="faint" isNowrap>
          {at === null ? t.never : <Time at={at} />}
        </Note>
      ),
    },
  ];
  return (
    <DataList
      label={t.title}
      columns={columns}
      rows={rows}
      rowId={({ id }) => id}
      search={{ value: q, onChange: onSearch, placeholder: t.search }}
      {...(rows && { count: t.count(rows.length) })}
      error={
        webhooks.error && !webhooks.data ? (
          <ErrorState problem={toProblem(webhooks.error)} onRetry={() => void webhooks.refetch()} />
        ) : undefined
      }
      empty={
        q === '' ? (
          <EmptyState icon="webhook" title={t.none} actions={<Button onPress={onNew}>{t.new}</Button>}>
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

function isFound({ description, url, events }: Webhook, q: string): boolean {
  const text = [description, url, ...events, eventWords(events)].join('\n').toLocaleLowerCase();
  return text.includes(q.trim().toLocaleLowerCase());
}
