import { useNavigate } from '@tanstack/react-router';
import { unwrap } from '../api/client.ts';
import { fieldErrors } from '../api/problem.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useDraft } from '../app/drafts/use-draft.ts';
import { keyOf } from '../app/key-of.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { TextField } from '../ui/text-field.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';

const FORM = 'segment';
const EMPTY = { name: '', key: '', description: '' };

/** Makes an empty segment with a name and a key; nobody is in it until its page says who. */
export function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const api = useApi();
  const { project, hrefTo } = useScope();
  const navigate = useNavigate();
  const stored = useDraft<typeof EMPTY>(`segment:new:${project.id}`);
  const draft = stored.value ?? EMPTY;
  const key = draft.key || keyOf(draft.name);
  const change = useChange({
    send: (body: typeof EMPTY, attempt) =>
      unwrap(
        api.POST('/api/v1/projects/{project_id}/segments', {
          params: {
            path: { project_id: project.id },
            header: attemptHeaders(attempt),
            query: { dry_run: attempt.dryRun ?? false },
          },
          // An empty list: without it, no condition would mean everyone.
          body: { ...body, conditions: [], included: [] },
        }),
      ),
    outdates: ['segment', 'audit'],
    onSaved: (_, body) => {
      showToast(t.created(body.name));
      stored.clear();
      void navigate({ to: hrefTo(`segments/${body.key}`) });
    },
  });
  const set = (part: Partial<typeof EMPTY>) => stored.set({ ...draft, ...part });
  const whyNot = draft.name.trim() === '' ? t.nameFirst : undefined;
  const isFieldFault = (change.problem?.fields.length ?? 0) > 0;
  return (
    <Dialog
      isOpen
      isStubborn={stored.value !== undefined}
      onClose={onClose}
      title={t.new}
      foot={
        <>
          <Button kind="main" type="submit" form={FORM} isPending={change.state === 'saving'} whyNot={whyNot}>
            {t.create}
          </Button>
          <Button
            onPress={() => {
              stored.clear();
              onClose();
            }}
          >
            {t.cancel}
          </Button>
        </>
      }
    >
      <Form
        id={FORM}
        errors={fieldErrors(change.problem)}
        onSubmit={() => {
          if (whyNot === undefined) void change.save({ ...draft, key });
        }}
      >
        {change.problem && !isFieldFault && <ErrorState problem={change.problem} />}
        <Fields draft={draft} segmentKey={key} onChange={set} />
      </Form>
    </Dialog>
  );
}

function Fields(props: {
  readonly draft: typeof EMPTY;
  readonly segmentKey: string;
  readonly onChange: (part: Partial<typeof EMPTY>) => void;
}) {
  const { draft, segmentKey, onChange: set } = props;
  return (
    <>
      <TextField
        label={t.fields.name}
        name="name"
        value={draft.name}
        onChange={(name) => set({ name })}
        maxLength={200}
        isRequired
        autoFocus
      />
      <TextField
        label={t.keyField}
        name="key"
        help={t.keyHelp}
        value={segmentKey}
        onChange={(next) => set({ key: next })}
        maxLength={100}
        isMono
      />
      <TextField
        label={t.fields.description}
        name="description"
        value={draft.description}
        onChange={(description) => set({ description })}
        maxLength={2_000}
      />
    </>
  );
}
