import type { Webhook } from '../api/types.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Checkbox, RadioGroup } from '../ui/choice.tsx';
import { Columns, Note, Stack } from '../ui/layout.tsx';
import { Select } from '../ui/select.tsx';
import { TagInput } from '../ui/tag-input.tsx';
import { TextArea, TextField } from '../ui/text-field.tsx';
import { t } from './messages.ts';
import type { WebhookDraft } from './webhook-draft.ts';
import styles from './webhooks.module.css';

const KNOWN = Object.entries(t.events).filter(([event]) => event !== 'ruleset.updated');

interface FieldsProps {
  readonly draft: WebhookDraft;
  readonly onChange: (part: Partial<WebhookDraft>) => void;
  readonly webhook: Webhook | undefined;
  readonly headers: string;
  readonly onHeaders: (text: string) => void;
}

/** The fields of a webhook: where it goes, what it hears of, and how it is signed. */
export function WebhookFields(props: FieldsProps) {
  const { draft, onChange } = props;
  return (
    <>
      <TextField
        label={t.form.url}
        name="url"
        type="url"
        isMono
        help={t.form.urlHelp}
        placeholder={t.form.urlPlaceholder}
        value={draft.url}
        onChange={(url) => onChange({ url })}
        maxLength={2_000}
        isRequired
        autoFocus
      />
      <TextField
        label={t.form.description}
        name="description"
        placeholder={t.form.descriptionPlaceholder}
        value={draft.description}
        onChange={(description) => onChange({ description })}
        maxLength={2_000}
      />
      <EventFields {...props} />
      <PlaceFields {...props} />
      <MessageFields {...props} />
    </>
  );
}

function EventFields({ draft, onChange }: FieldsProps) {
  const others = draft.events.filter((event) => !KNOWN.some(([id]) => id === event));
  const known = draft.events.filter((event) => !others.includes(event));
  return (
    <>
      <RadioGroup
        label={t.form.hears}
        name="events"
        choices={[
          { id: 'all', label: t.form.everything },
          { id: 'some', label: t.form.chosen },
        ]}
        value={draft.isEverything ? 'all' : 'some'}
        onChange={(next) => onChange({ isEverything: next === 'all' })}
      />
      {!draft.isEverything && (
        <Stack>
          <fieldset className={styles.choices} aria-label={t.form.hears}>
            {KNOWN.map(([event, label]) => (
              <Checkbox
                key={event}
                label={label}
                isSelected={known.includes(event)}
                onChange={(isOn) =>
                  onChange({
                    events: isOn ? [...draft.events, event] : draft.events.filter((one) => one !== event),
                  })
                }
              />
            ))}
          </fieldset>
          <TagInput
            label={t.form.more}
            values={others}
            onChange={(next) => onChange({ events: [...known, ...next] })}
            placeholder={t.form.moreHelp}
          />
        </Stack>
      )}
    </>
  );
}

function PlaceFields({ draft, onChange, webhook }: FieldsProps) {
  const { project, environments } = useScope();
  const toggle = (id: string, isOn: boolean) =>
    onChange({
      environmentIds: isOn ? [...draft.environmentIds, id] : draft.environmentIds.filter((one) => one !== id),
    });
  return (
    <>
      {!webhook && (
        <RadioGroup
          label={t.form.project}
          name="project_id"
          choices={[
            { id: 'this', label: project.name },
            { id: 'all', label: t.form.allProjects },
          ]}
          value={draft.isEveryProject ? 'all' : 'this'}
          onChange={(next) => onChange({ isEveryProject: next === 'all' })}
        />
      )}
      <fieldset className={styles.choices}>
        <legend>{t.form.environments}</legend>
        {environments.map(({ id, name }) => (
          <Checkbox
            key={id}
            label={name}
            isSelected={draft.environmentIds.includes(id)}
            onChange={(isOn) => toggle(id, isOn)}
          />
        ))}
      </fieldset>
      <Note tone="faint" isSmall>
        {t.form.environmentsHelp}
      </Note>
      <TagInput label={t.form.tags} values={draft.tags} onChange={(tags) => onChange({ tags })} />
    </>
  );
}

function MessageFields({ draft, onChange, webhook, headers, onHeaders }: FieldsProps) {
  const names = webhook?.header_names ?? [];
  return (
    <>
      <Columns kind="even">
        <Select
          label={t.form.payload}
          name="payload"
          options={[
            { id: 'full', label: t.payload.full },
            { id: 'thin', label: t.payload.thin },
          ]}
          value={draft.payload}
          onChange={(payload) => onChange({ payload })}
        />
        {!webhook && (
          <Select
            label={t.form.signing}
            name="signing"
            options={[
              { id: 'hmac', label: t.signing.hmac },
              { id: 'ed25519', label: t.signing.ed25519 },
            ]}
            value={draft.signing}
            onChange={(signing) => onChange({ signing })}
          />
        )}
      </Columns>
      <TextArea
        label={t.form.headers}
        name="headers"
        help={names.length > 0 ? t.form.headersKept(names.join(', ')) : t.form.headersHelp}
        value={headers}
        onChange={onHeaders}
        rows={2}
        isMono
      />
    </>
  );
}
