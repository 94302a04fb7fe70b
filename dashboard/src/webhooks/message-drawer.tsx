import { toProblem } from '../api/problem.ts';
import { Button } from '../ui/button.tsx';
import { CodeBlock, CopyButton } from '../ui/copy.tsx';
import { Drawer } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Line, Note, Stack } from '../ui/layout.tsx';
import { Card, Facts, Skeleton } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { Answer } from './deliveries-card.tsx';
import { t } from './messages.ts';
import { useRedeliver } from './use-webhook-actions.ts';
import { type Message, useMessage } from './use-webhooks.ts';
import styles from './webhooks.module.css';

/** One message: its body, each attempt with its answer, and a way to send it again. */
export function MessageDrawer(props: {
  readonly id: string;
  readonly isDisabled: boolean;
  readonly onClose: () => void;
}) {
  const { id, isDisabled, onClose } = props;
  const { data, error, refetch } = useMessage(id);
  const redeliver = useRedeliver();
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title={data === undefined || data.type === 'ping' ? t.ping : data.type}
      foot={
        data && (
          <Button
            kind="main"
            icon="undo"
            onPress={() => void redeliver.save(id)}
            isPending={redeliver.state === 'saving'}
            whyNot={isDisabled ? t.message.whyDisabled : undefined}
          >
            {t.message.redeliver}
          </Button>
        )
      }
    >
      {redeliver.problem && <ErrorState problem={redeliver.problem} />}
      {data ? (
        <Content message={data} />
      ) : error ? (
        <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={8} />
      )}
    </Drawer>
  );
}

function Content({ message }: { readonly message: Message }) {
  const { next_attempt_at: next, deliveries } = message;
  return (
    <Stack>
      <Facts
        facts={[
          [t.message.statusName, t.message.status[message.status]],
          [
            t.message.id,
            <span key="id" className={styles.address}>
              {message.id} <CopyButton text={message.id} />
            </span>,
          ],
          [t.message.made, <Time key="made" at={message.created_at} kind="moment" />],
          ...(next === null ? [] : [[t.message.next, <Time key="next" at={next} />] as const]),
        ]}
      />
      {deliveries.length > 0 && (
        <Card title={t.message.attempts}>
          <ol className={styles.attempts}>
            {deliveries.map((delivery) => (
              <li key={delivery.id}>
                <Stack gap="close">
                  <Line>
                    <Note isStrong>{t.message.attempt(delivery.attempt)}</Note>
                    <Answer delivery={delivery} />
                    <Note tone="faint" isSmall>
                      {t.took(delivery.duration_ms)}, <Time at={delivery.timestamp} />
                    </Note>
                  </Line>
                  {delivery.response_excerpt && (
                    <CodeBlock title={t.message.answer} code={delivery.response_excerpt} />
                  )}
                </Stack>
              </li>
            ))}
          </ol>
        </Card>
      )}
      <CodeBlock title={t.message.body} code={indented(message.body)} />
    </Stack>
  );
}

/** The same JSON, easier to read. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
