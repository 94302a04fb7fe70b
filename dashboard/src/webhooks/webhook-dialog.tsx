import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import { fieldErrors, toProblem } from '../api/problem.ts';
import type { Webhook } from '../api/types.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useDraft } from '../app/drafts/use-draft.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Diff } from '../ui/diff.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import type { ShownSecret } from './secret-dialog.tsx';
import {
  changedLines,
  createBody,
  draftFault,
  draftOf,
  emptyDraft,
  type UpdateBody,
  undoBody,
  updateBody,
  type WebhookDraft,
} from './webhook-draft.ts';
import { WebhookFields } from './webhook-fields.tsx';
import { nameOf } from './webhook-words.ts';

const FORM = 'webhook';

interface DialogProps {
  /** Undefined makes one. */
  readonly webhook: Webhook | undefined;
  readonly onClose: () => void;
  readonly onCreated?: (secret: ShownSecret) => void;
}

/** Makes a webhook or changes one. */
export function WebhookDialog(props: DialogProps) {
  const { webhook, onClose } = props;
  const form = useWebhookForm(props);
  return (
    <Dialog
      isOpen
      isStubborn={form.isDirty}
      onClose={onClose}
      title={webhook ? t.form.editTitle(nameOf(webhook)) : t.form.newTitle}
      {...(!webhook && { intro: t.form.newIntro })}
      foot={
        <>
          <Button kind="main" type="submit" form={FORM} isPending={form.isPending} whyNot={form.whyNot}>
            {webhook ? t.form.save(form.lines.length) : t.form.create}
          </Button>
          <Button
            onPress={() => {
              form.forget();
              onClose();
            }}
          >
            {t.form.cancel}
          </Button>
        </>
      }
    >
      <Form id={FORM} onSubmit={form.submit} errors={form.errors}>
        {form.problem && <ErrorState problem={form.problem} kept={t.form.keptDraft} />}
        <WebhookFields
          draft={form.draft}
          onChange={form.change}
          webhook={webhook}
          headers={form.headers}
          onHeaders={form.setHeaders}
        />
        {webhook && form.lines.length > 0 && <Diff lines={form.lines} />}
      </Form>
    </Dialog>
  );
}

/** The form's state, and how it is sent. */
function useWebhookForm({ webhook, onClose, onCreated }: DialogProps) {
  const { project, environments } = useScope();
  const stored = useDraft<WebhookDraft>(`webhook:${webhook?.id ?? 'new'}`);
  const [headers, setHeaders] = useState('');
  const draft = stored.value ?? (webhook ? draftOf(webhook) : emptyDraft);
  const body = webhook && updateBody(draft, headers, webhook);
  const lines = webhook && body ? changedLines(body, webhook, environments) : [];
  const fault = draftFault(draft, headers) ?? (webhook && lines.length === 0 ? t.form.noChange : undefined);
  const forget = () => stored.clear();
  const create = useCreate((secret) => {
    forget();
    onClose();
    onCreated?.(secret);
  });
  const update = useUpdate(webhook, () => {
    forget();
    onClose();
  });
  const used = webhook ? update : create;
  const problem = used.problem && toProblem(used.problem);
  return {
    draft,
    change: (part: Partial<WebhookDraft>) => stored.set({ ...draft, ...part }),
    headers,
    setHeaders,
    forget,
    lines,
    whyNot: fault,
    isDirty: stored.value !== undefined || headers !== '',
    submit: () => {
      if (fault !== undefined) return;
      if (webhook && body) void update.save(body, { tag: `"${webhook.revision}"` });
      else void create.save(createBody(draft, headers, project.id));
    },
    isPending: used.state === 'saving',
    problem: problem && problem.fields.length === 0 ? problem : undefined,
    errors: fieldErrors(problem),
  };
}

function useCreate(onCreated: (secret: ShownSecret) => void) {
  const api = useApi();
  return useChange({
    send: (body: ReturnType<typeof createBody>, attempt) =>
      unwrap(
        api.POST('/api/v1/webhooks', {
          params: { header: attemptHeaders(attempt), query: { dry_run: attempt.dryRun ?? false } },
          body,
        }),
      ),
    outdates: ['webhook', 'audit'],
    onSaved: ({ data }) => {
      if (!('id' in data)) return;
      onCreated({ secret: data.secret, publicKey: data.public_key });
    },
  });
}

function useUpdate(webhook: Webhook | undefined, onSaved: () => void) {
  const api = useApi();
  const name = webhook ? nameOf(webhook) : '';
  const send = (body: UpdateBody, attempt: Parameters<typeof attemptHeaders>[0]) =>
    unwrap(
      api.PATCH('/api/v1/webhooks/{webhook_id}', {
        params: {
          path: { webhook_id: webhook?.id ?? '' },
          header: attemptHeaders(attempt),
          query: { dry_run: attempt.dryRun ?? false },
        },
        body,
      }),
    );
  const undo = useChange({
    send,
    outdates: ['webhook', 'audit'],
    onSaved: () => showToast(t.form.undone(name)),
  });
  return useChange({
    send,
    outdates: ['webhook', 'audit'],
    onSaved: (_, body) => {
      const before = webhook && undoBody(body, webhook);
      const canUndo = before !== undefined && Object.keys(before).length > 0;
      showToast(t.form.updated(name), canUndo ? () => void undo.save(before) : undefined);
      onSaved();
    },
  });
}
