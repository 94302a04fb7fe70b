import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import type { Webhook } from '../api/types.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { SegmentedControl } from '../ui/choice.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { t } from './messages.ts';
import type { ShownSecret } from './secret-dialog.tsx';
import { nameOf } from './webhook-words.ts';

const OVERLAPS = ['0', '1', '24', '168'] as const;

/** A new secret, while the old one goes on for some hours. */
export function RotateDialog(props: {
  readonly webhook: Webhook;
  readonly onClose: () => void;
  readonly onRotated: (secret: ShownSecret) => void;
}) {
  const { webhook, onClose, onRotated } = props;
  const api = useApi();
  const words = t.rotation;
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]>('24');
  const change = useChange({
    send: (hours: number, attempt) =>
      unwrap(
        api.POST('/api/v1/webhooks/{webhook_id}/rotate-secret', {
          params: {
            path: { webhook_id: webhook.id },
            header: attemptHeaders(attempt),
            query: { dry_run: attempt.dryRun ?? false },
          },
          body: { overlap_hours: hours },
        }),
      ),
    outdates: ['webhook', 'audit'],
    onSaved: ({ data }) => {
      if ('id' in data) onRotated({ secret: data.secret, publicKey: data.public_key });
    },
  });
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
            onPress={() => void change.save(Number(overlap))}
            isPending={change.state === 'saving'}
          >
            {words.action}
          </Button>
          <Button onPress={onClose}>{t.form.cancel}</Button>
        </>
      }
    >
      <Stack gap="close">
        <Note isStrong>{words.overlap}</Note>
        <SegmentedControl
          label={words.overlap}
          choices={OVERLAPS.map((id) => ({ id, label: words.overlaps[id] }))}
          value={overlap}
          onChange={setOverlap}
        />
        {overlap === '0' && <Note tone="warn">{words.atOnce}</Note>}
        {change.problem && <ErrorState problem={change.problem} />}
      </Stack>
    </Dialog>
  );
}
