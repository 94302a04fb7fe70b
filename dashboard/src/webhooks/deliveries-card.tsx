import { toProblem } from '../api/problem.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { formatNumber } from '../i18n/format-number.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { SegmentedControl } from '../ui/choice.tsx';
import { DataList, type ListColumn } from '../ui/data-list.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { Link } from '../ui/link.tsx';
import { EmptyState } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { t } from './messages.ts';
import { type Delivery, useDeliveries } from './use-webhooks.ts';
import { answerWords } from './webhook-words.ts';
import styles from './webhooks.module.css';

/** The attempts of 30 days; each opens its message. */
export function DeliveriesCard(props: {
  readonly id: string;
  readonly status: Delivery['status'] | undefined;
  readonly onStatus: (status: Delivery['status'] | undefined) => void;
  readonly onTest: () => void;
}) {
  const { id, status, onStatus, onTest } = props;
  const { hrefTo } = useScope();
  const deliveries = useDeliveries(id, status);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = deliveries;
  return (
    <Stack gap="close">
      <div className={styles.tools}>
        <h2>{t.deliveries}</h2>
        <SegmentedControl
          label={t.whichLabel}
          choices={(['all', 'failed', 'succeeded'] as const).map((one) => ({ id: one, label: t.which[one] }))}
          value={status ?? 'all'}
          onChange={(next) => onStatus(next === 'all' ? undefined : next)}
        />
      </div>
      <DataList
        label={t.deliveries}
        columns={columnsOf((message) => hrefTo(`webhooks/${id}`, { status, message }))}
        rows={deliveries.data?.pages.flatMap(({ data }) => data)}
        rowId={(delivery) => delivery.id}
        error={
          deliveries.error && !deliveries.data ? (
            <ErrorState problem={toProblem(deliveries.error)} onRetry={() => void deliveries.refetch()} />
          ) : undefined
        }
        empty={
          status === undefined ? (
            <EmptyState
              icon="webhook"
              title={t.noDeliveries}
              actions={<Button onPress={onTest}>{t.test}</Button>}
            >
              {t.noDeliveriesText}
            </EmptyState>
          ) : (
            <EmptyState icon="filter" title={t.noneFailed} />
          )
        }
        more={hasNextPage ? { load: () => void fetchNextPage(), isLoading: isFetchingNextPage } : undefined}
      />
    </Stack>
  );
}

function columnsOf(hrefOf: (message: string) => string): readonly ListColumn<Delivery>[] {
  const { deliveryColumns: labels } = t;
  return [
    {
      id: 'event',
      label: labels.event,
      isMain: true,
      cell: ({ type, message_id: message }) => (
        <Link href={hrefOf(message)} isPlain>
          <code>{type === 'ping' ? t.ping : type}</code>
        </Link>
      ),
    },
    { id: 'answer', label: labels.answer, cell: (delivery) => <Answer delivery={delivery} /> },
    {
      id: 'attempt',
      label: labels.attempt,
      isNumber: true,
      isNamed: true,
      cell: ({ attempt }) => formatNumber(attempt),
    },
    {
      id: 'took',
      label: labels.took,
      isNumber: true,
      isNamed: true,
      cell: ({ duration_ms: ms }) => t.took(ms),
    },
    {
      id: 'when',
      label: labels.when,
      isNumber: true,
      cell: ({ timestamp }) => (
        <Note tone="faint" isNowrap>
          <Time at={timestamp} />
        </Note>
      ),
    },
  ];
}

/** What the other side answered, with its meaning in colour. */
export function Answer({ delivery }: { readonly delivery: Delivery }) {
  const isGood = delivery.status === 'succeeded';
  return (
    <Badge tone={isGood ? 'good' : 'bad'} icon={isGood ? 'check' : 'error'}>
      {answerWords(delivery)}
    </Badge>
  );
}
