import { Checkbox } from '../ui/choice.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { NumberField } from '../ui/number-field.tsx';
import { Select } from '../ui/select.tsx';
import { Card } from '../ui/surface.tsx';
import { TextArea, TextField } from '../ui/text-field.tsx';
import { t } from './messages.ts';
import { DAY_FIELDS, type ProjectDraft, type ProjectFields } from './project-draft.ts';

interface Props {
  readonly fields: ProjectFields;
  readonly onChange: (part: ProjectDraft) => void;
  readonly isDisabled: boolean;
}

/** Name and description. */
export function AboutCard({ fields, onChange, isDisabled }: Props) {
  return (
    <Card title={t.about}>
      <Stack>
        <TextField
          label={t.fields.name}
          name="name"
          value={fields.name}
          onChange={(name) => onChange({ name })}
          maxLength={200}
          isDisabled={isDisabled}
        />
        <TextArea
          label={t.fields.description}
          name="description"
          value={fields.description}
          onChange={(description) => onChange({ description })}
          maxLength={2000}
          isDisabled={isDisabled}
        />
      </Stack>
    </Card>
  );
}

/** What new flags must have, and what they start with. */
export function NewFlagsCard({ fields, onChange, isDisabled }: Props) {
  return (
    <Card title={t.newFlags}>
      <Stack>
        <TextField
          label={t.fields.flag_key_pattern}
          help={t.help.flag_key_pattern}
          name="flag_key_pattern"
          value={fields.flag_key_pattern ?? ''}
          onChange={(text) => onChange({ flag_key_pattern: text === '' ? null : text })}
          maxLength={512}
          isDisabled={isDisabled}
          isMono
        />
        <TextField
          label={t.fields.flag_key_hint}
          help={t.help.flag_key_hint}
          name="flag_key_hint"
          value={fields.flag_key_hint}
          onChange={(flag_key_hint) => onChange({ flag_key_hint })}
          maxLength={200}
          isDisabled={isDisabled}
        />
        <Select
          label={t.fields.default_classification}
          name="default_classification"
          value={fields.default_classification ?? 'none'}
          onChange={(id) => onChange({ default_classification: id === 'none' ? null : id })}
          options={(Object.keys(t.classifications) as (keyof typeof t.classifications)[]).map((id) => ({
            id,
            label: t.classifications[id],
          }))}
          isDisabled={isDisabled}
        />
        <Checkbox
          label={t.fields.require_description}
          isSelected={fields.require_description}
          onChange={(require_description) => onChange({ require_description })}
          isDisabled={isDisabled}
        />
        <Checkbox
          label={t.fields.client_exposure_default}
          isSelected={fields.client_exposure_default}
          onChange={(client_exposure_default) => onChange({ client_exposure_default })}
          isDisabled={isDisabled}
        />
      </Stack>
    </Card>
  );
}

/** After how many days a flag counts as stale, and when it is archived. */
export function StaleCard({ fields, onChange, isDisabled }: Props) {
  return (
    <Card title={t.stale}>
      <Stack>
        <Note tone="muted">{t.staleIntro}</Note>
        {DAY_FIELDS.map((field) => (
          <NumberField
            key={field}
            label={t.fields[field]}
            name={field}
            value={fields[field]}
            onChange={(days) => !Number.isNaN(days) && onChange({ [field]: days })}
            minValue={1}
            maxValue={3650}
            unit={t.days}
            isDisabled={isDisabled}
          />
        ))}
        <NumberField
          label={t.fields.auto_archive_after_days}
          help={t.help.auto_archive_after_days}
          name="auto_archive_after_days"
          value={fields.auto_archive_after_days ?? Number.NaN}
          onChange={(days) => onChange({ auto_archive_after_days: Number.isNaN(days) ? null : days })}
          minValue={1}
          maxValue={3650}
          unit={t.days}
          isDisabled={isDisabled}
        />
      </Stack>
    </Card>
  );
}
