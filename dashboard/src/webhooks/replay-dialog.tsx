import { getLocalTimeZone } from '@internationalized/date';
import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import type { Webhook } from '../api/types.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useApi } from '../app/services.ts';
import { toMs } from '../i18n/format-time.ts';
import { Button } from '../ui/button.tsx';
import { RadioGroup } from '../ui/choice.tsx';
import { DateTimeField } from '../ui/date-time-field.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Columns, Stack } from '../ui/layout.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { nameOf } from './webhook-words.ts';

const DAY_MS = 24 * 3_600_000;
const KINDS = ['exhausted', 'failed', 'cancelled', 'succeeded'] as const;
type Kind = (typeof KINDS)[number];

interface Range {
  readonly from: string;
  readonly to: string;
  readonly status: Kind;
}

/** Sends the messages of a time again, such as those that an outage has cost. */
export function ReplayDialog(props: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const { webhook, onClose } = props;
  const words = t.replaying;
  const [from, setFrom] = useState<string | undefined>(() => startOf(webhook));
  const [to, setTo] = useState<string | undefined>(() => new Date().toISOString());
  const [status, setStatus] = useState<Kind>('exhausted');
  const change = useReplay(webhook, onClose);
  const whyNot =
    from === undefined || to === undefined
      ? words.timesFirst
      : toMs(to) <= toMs(from)
        ? words.order
        : undefined;
  const zone = getLocalTimeZone();
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={words.title(nameOf(webhook))}
      intro={words.intro}
      foot={
        <>
          <Button
            kind="main"
            onPress={() => void change.save({ from: from!, to: to!, status })}
            isPending={change.state === 'saving'}
            whyNot={webhook.status === 'disabled' ? t.message.whyDisabled : whyNot}
          >
            {words.action}
          </Button>
          <Button onPress={onClose}>{t.form.cancel}</Button>
        </>
      }
    >
      <Stack>
        <Columns kind="even">
          <DateTimeField label={words.from} zone={zone} value={from} onChange={setFrom} />
          <DateTimeField label={words.to} zone={zone} value={to} onChange={setTo} />
        </Columns>
        <RadioGroup
          label={words.which}
          choices={KINDS.map((id) => ({ id, label: words.whichOf[id] }))}
          value={status}
          onChange={setStatus}
        />
        {change.problem && <ErrorState problem={change.problem} />}
      </Stack>
    </Dialog>
  );
}

function useReplay(webhook: Webhook, onClose: () => void) {
  const api = useApi();
  return useChange({
    send: (body: Range, attempt) =>
      unwrap(
        api.POST('/api/v1/webhooks/{webhook_id}/replay', {
          params: {
            path: { webhook_id: webhook.id },
            header: attemptHeaders(attempt),
            query: { dry_run: attempt.dryRun ?? false },
          },
          body,
        }),
      ),
    outdates: ['webhook', 'audit'],
    onSaved: ({ data }) => {
      const count = 'replayed' in data ? data.replayed : 0;
      showToast(count === 0 ? t.replaying.nothing : t.replaying.done(count));
      onClose();
    },
  });
}

/** When it began to fail, or a day ago. */
function startOf({ failing_since: since }: Webhook): string {
  return since ?? new Date(Date.now() - DAY_MS).toISOString();
}
