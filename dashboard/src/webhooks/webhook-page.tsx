import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { toProblem } from '../api/problem.ts';
import type { Webhook } from '../api/types.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useSearchState } from '../app/navigation/use-search-state.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Columns, Line, Stack } from '../ui/layout.tsx';
import { Menu } from '../ui/menu.tsx';
import { Card, EmptyState, Facts, Notice, PageHeader, Skeleton } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { DeliveriesCard } from './deliveries-card.tsx';
import { MessageDrawer } from './message-drawer.tsx';
import { t } from './messages.ts';
import { ReplayDialog } from './replay-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';
import { SecretDialog, type ShownSecret } from './secret-dialog.tsx';
import { useEnable, useTest } from './use-webhook-actions.ts';
import { type Delivery, useWebhook } from './use-webhooks.ts';
import { WebhookDialog } from './webhook-dialog.tsx';
import { parseWebhookSearch, type WebhookSearch } from './webhook-search.ts';
import { EnvironmentsCell, StateBadge, StateNotice } from './webhook-state.tsx';
import { answerWords, eventWords, nameOf } from './webhook-words.ts';
import styles from './webhooks.module.css';

/** One webhook: its state, what to do about it, and its deliveries. */
export function WebhookPage() {
  const { webhook: id } = useParams({ strict: false }) as { webhook: string };
  const { hrefTo, me } = useScope();
  const { data: webhook, error, refetch } = useWebhook(id);
  const title = webhook ? nameOf(webhook) : t.title;
  usePage(title, [{ label: t.title, href: hrefTo('webhooks') }]);
  if (webhook) return <Content webhook={webhook} />;
  return (
    <>
      <PageHeader title={t.title} />
      {me.role !== 'admin' ? (
        <EmptyState icon="lock" title={t.adminsOnlyTitle}>
          {t.adminsOnlyText}
        </EmptyState>
      ) : error ? (
        <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={8} />
      )}
    </>
  );
}

function Content({ webhook }: { readonly webhook: Webhook }) {
  const [search, setSearch] = useSearchState(parseWebhookSearch);
  const open = (dialog: WebhookSearch['open']) => setSearch({ open: dialog });
  const test = useTest(webhook);
  const sendTest = () => void test.save(undefined);
  return (
    <>
      <PageHeader
        title={nameOf(webhook)}
        beside={<StateBadge webhook={webhook} />}
        actions={
          <Line>
            <Menu label={t.actions} groups={[{ entries: menuEntries(open) }]}>
              <Button icon="dots">{t.actions}</Button>
            </Menu>
            <Button icon="pencil" onPress={() => open('edit')}>
              {t.edit}
            </Button>
            <Button kind="main" icon="bolt" onPress={sendTest} isPending={test.state === 'saving'}>
              {t.test}
            </Button>
          </Line>
        }
      />
      <Columns>
        <Stack>
          {test.problem && <ErrorState problem={test.problem} onRetry={sendTest} />}
          {test.output && <TestResult delivery={test.output.data} />}
          <StateNotice webhook={webhook} actions={<NextSteps webhook={webhook} onOpen={open} />} />
          <DeliveriesCard
            id={webhook.id}
            status={search.status}
            onStatus={(status) => setSearch({ status }, { replace: true })}
            onTest={sendTest}
          />
        </Stack>
        <WebhookFacts webhook={webhook} />
      </Columns>
      <Dialogs webhook={webhook} open={search.open} onClose={() => open(undefined)} />
      {search.message !== undefined && (
        <MessageDrawer
          id={search.message}
          isDisabled={webhook.status === 'disabled'}
          onClose={() => setSearch({ message: undefined })}
        />
      )}
    </>
  );
}

const menuEntries = (open: (dialog: WebhookSearch['open']) => void) => [
  { id: 'replay', label: t.replay, icon: 'undo' as const, run: () => open('replay') },
  { id: 'rotate', label: t.rotate, icon: 'key' as const, run: () => open('rotate') },
  { id: 'delete', label: t.remove, icon: 'trash' as const, isDanger: true, run: () => open('delete') },
];

function Dialogs(props: {
  readonly webhook: Webhook;
  readonly open: WebhookSearch['open'];
  readonly onClose: () => void;
}) {
  const { webhook, open, onClose } = props;
  const [secret, setSecret] = useState<ShownSecret>();
  return (
    <>
      {open === 'edit' && <WebhookDialog webhook={webhook} onClose={onClose} />}
      {open === 'replay' && <ReplayDialog webhook={webhook} onClose={onClose} />}
      {open === 'rotate' && (
        <RotateDialog
          webhook={webhook}
          onClose={onClose}
          onRotated={(shown) => {
            onClose();
            setSecret(shown);
          }}
        />
      )}
      {open === 'delete' && <DeleteDialog webhook={webhook} onClose={onClose} />}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}

function NextSteps(props: {
  readonly webhook: Webhook;
  readonly onOpen: (dialog: WebhookSearch['open']) => void;
}) {
  const { webhook, onOpen } = props;
  const enable = useEnable(webhook);
  return (
    <>
      <Button isSmall onPress={() => onOpen('edit')}>
        {t.edit}
      </Button>
      {webhook.status === 'disabled' ? (
        <Button isSmall onPress={() => void enable.save(undefined)} isPending={enable.state === 'saving'}>
          {t.enable}
        </Button>
      ) : (
        <Button isSmall onPress={() => onOpen('replay')}>
          {t.replay}
        </Button>
      )}
      {enable.problem && <ErrorState problem={enable.problem} />}
    </>
  );
}

function TestResult({ delivery }: { readonly delivery: Delivery }) {
  const { status, status_code: code, duration_ms: took, response_excerpt: body } = delivery;
  if (status === 'succeeded') return <Notice tone="good" title={t.testWorked(code ?? 0, took)} isUrgent />;
  return (
    <Notice
      tone="bad"
      title={t.testFailed(answerWords(delivery))}
      isUrgent
      actions={<pre className={styles.answer}>{body || t.noBody}</pre>}
    >
      {t.testFailedText}
    </Notice>
  );
}

function WebhookFacts({ webhook }: { readonly webhook: Webhook }) {
  const { project } = useScope();
  const { project_id: projectId, public_key: key, last_success_at: success } = webhook;
  const oldSecret = webhook.previous_secret_expires_at;
  const where = projectId === null ? t.allProjects : projectId === project.id ? project.name : t.otherProject;
  const facts: (readonly [string, React.ReactNode])[] = [
    [
      t.facts.address,
      <span key="url" className={styles.address}>
        {webhook.url} <CopyButton text={webhook.url} />
      </span>,
    ],
    [t.facts.hears, eventWords(webhook.events)],
    [t.facts.environments, <EnvironmentsCell key="environments" webhook={webhook} />],
    [t.facts.project, where],
    ...(webhook.tags.length === 0 ? [] : [[t.facts.tags, webhook.tags.join(', ')] as const]),
    ...(webhook.header_names.length === 0
      ? []
      : [[t.facts.headers, webhook.header_names.join(', ')] as const]),
    [t.facts.payload, t.payload[webhook.payload]],
    [t.facts.signing, t.signing[webhook.signing]],
    ...(key === null
      ? []
      : [
          [
            t.facts.publicKey,
            <span key="key" className={styles.address}>
              {key} <CopyButton text={key} />
            </span>,
          ] as const,
        ]),
    ...(oldSecret === null
      ? []
      : [[t.facts.oldSecret, <Time key="old" at={oldSecret} kind="moment" />] as const]),
    [t.facts.lastSuccess, success === null ? t.never : <Time key="success" at={success} />],
    [t.facts.made, <Time key="made" at={webhook.created_at} />],
  ];
  return (
    <Card>
      <Facts facts={facts} />
    </Card>
  );
}
