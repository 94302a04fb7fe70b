import { useState } from 'react';
import { Checkbox, RadioGroup } from '../ui/choice.tsx';
import { Select } from '../ui/select.tsx';
import { TextField } from '../ui/text-field.tsx';
import { type EnvironmentFields, ofType } from './environment-draft.ts';
import styles from './environments.module.css';
import { t } from './messages.ts';

const OWN = 'own';

interface FieldsProps {
  readonly fields: EnvironmentFields;
  readonly onChange: (part: Partial<EnvironmentFields>) => void;
  readonly errors: Readonly<Record<string, string>>;
}

/** Type, colour and care. */
export function EnvironmentSettings(
  props: FieldsProps & {
    /** Why the type cannot change. */
    readonly typeLock?: string | undefined;
    /** True: a new environment, which takes what its type suggests. */
    readonly isNew: boolean;
  },
) {
  const { fields, onChange, errors, typeLock, isNew } = props;
  return (
    <>
      <RadioGroup
        label={t.form.type}
        name="type"
        choices={(['development', 'staging', 'production'] as const).map((id) => ({
          id,
          label: t.types[id],
          note: t.form.typeNotes[id],
          isDisabled: typeLock !== undefined && id !== fields.type,
        }))}
        {...(typeLock !== undefined && { help: typeLock })}
        value={fields.type}
        onChange={(type) => onChange(isNew ? ofType(type) : { type })}
        error={errors['type']}
      />
      <ColorField color={fields.color} onChange={(color) => onChange({ color })} error={errors['color']} />
      <fieldset className={styles.care}>
        <legend>{t.form.care}</legend>
        <Checkbox
          label={t.form.critical}
          note={t.form.criticalNote}
          isSelected={fields.critical}
          onChange={(critical) => onChange({ critical })}
        />
        <Checkbox
          label={t.form.confirm_changes}
          note={t.form.confirmNote}
          isSelected={fields.confirm_changes}
          onChange={(confirm_changes) => onChange({ confirm_changes })}
        />
        <Checkbox
          label={t.form.require_comment}
          note={t.form.commentNote}
          isSelected={fields.require_comment}
          onChange={(require_comment) => onChange({ require_comment })}
        />
        <Checkbox
          label={t.form.record_contexts}
          note={t.form.contextsNote}
          isSelected={fields.record_contexts}
          onChange={(record_contexts) => onChange({ record_contexts })}
        />
      </fieldset>
    </>
  );
}

function ColorField(props: {
  readonly color: string;
  readonly onChange: (color: string) => void;
  readonly error: string | undefined;
}) {
  const { color, onChange, error } = props;
  const [isOwn, setOwn] = useState(t.colors[color] === undefined);
  return (
    <>
      <Select
        label={t.form.color}
        value={isOwn ? OWN : color}
        onChange={(id) => {
          setOwn(id === OWN);
          if (id !== OWN) onChange(id);
        }}
        options={[
          ...Object.entries(t.colors).map(([id, label]) => ({ id, label, mark: <Swatch color={id} /> })),
          { id: OWN, label: t.form.ownColor, mark: <Swatch color={color} /> },
        ]}
      />
      {isOwn && (
        <TextField
          label={t.form.colorCode}
          help={t.form.colorHelp}
          name="color"
          value={color}
          onChange={onChange}
          maxLength={7}
          error={error}
          isMono
        />
      )}
    </>
  );
}

function Swatch({ color }: { readonly color: string }) {
  return <span className={styles.swatch} style={{ background: color }} aria-hidden="true" />;
}
