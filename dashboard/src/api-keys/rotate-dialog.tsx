import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useComment } from '../app/changes/use-comment.tsx';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { RadioGroup } from '../ui/choice.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Notice } from '../ui/surface.tsx';
import { t } from './messages.ts';
import type { ApiKey, MadeKey } from './use-api-keys.ts';

const FORM = 'rotate-key';

/** Gives a key a new secret, and says how long the old one still works. */
export function RotateDialog(props: {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onMade: (key: MadeKey) => void;
}) {
  const { apiKey, onClose, onMade } = props;
  const api = useApi();
  const { environments } = useScope();
  const [grace, setGrace] = useState<(typeof t.rotation.choices)[number]['id']>('1440');
  const change = useChange({
    send: async (minutes: number, attempt): Promise<MadeKey> => {
      const params = { header: attemptHeaders(attempt), path: { key_id: apiKey.id } };
      const body = { grace_minutes: minutes };
      return (await unwrap(api.POST('/api/v1/api-keys/{key_id}/rotate', { params, body }))).data as MadeKey;
    },
    outdates: ['api_key', 'audit'],
    onSaved: (key) => {
      onMade(key);
      onClose();
    },
  });
  const environment = environments.find(({ id }) => id === apiKey.environment_id);
  const reason = useComment({ isRequired: environment?.require_comment ?? false });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.rotation.title(apiKey.name)}
      intro={t.rotation.intro}
      foot={
        <>
          <Button
            kind="main"
            type="submit"
            form={FORM}
            isPending={change.state === 'saving'}
            whyNot={reason.whyNot}
          >
            {t.rotation.action}
          </Button>
          <Button onPress={onClose}>{t.form.cancel}</Button>
        </>
      }
    >
      <Form id={FORM} onSubmit={() => void change.save(Number(grace), { comment: reason.comment })}>
        {change.problem && <ErrorState problem={change.problem} />}
        {apiKey.status === 'rotating' && (
          <Notice tone="warn" title={t.rotation.cutShort}>
            {t.rotation.cutShortText}
          </Notice>
        )}
        <RadioGroup
          label={t.rotation.grace}
          name="grace"
          choices={t.rotation.choices}
          value={grace}
          onChange={setGrace}
        />
        {reason.field}
      </Form>
    </Dialog>
  );
}
