import { useState } from 'react';
import { EnvironmentMark } from '../ui/badge.tsx';
import { Checkbox, SegmentedControl } from '../ui/choice.tsx';
import { Note, Stack } from '../ui/layout.tsx';
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

interface TypeProps extends Omit<FieldsProps, 'errors'> {
  /** Why the type cannot change. */
  readonly typeLock?: string | undefined;
  /** True: a new environment, which takes what its type suggests. */
  readonly isNew: boolean;
}

/** Type, colour and care. */
export function EnvironmentSettings(props: TypeProps & Pick<FieldsProps, 'errors'>) {
  const { fields, onChange, errors, typeLock, isNew } = props;
  return (
    <>
      <TypeField fields={fields} onChange={onChange} typeLock={typeLock} isNew={isNew} />
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

function TypeField({ fields, onChange, typeLock, isNew }: TypeProps) {
  return (
    <Stack gap="close">
      <Note isStrong>{t.form.type}</Note>
      <SegmentedControl
        label={t.form.type}
        choices={(['development', 'staging', 'production'] as const).map((id) => ({
          id,
          label: t.types[id],
          mark: <EnvironmentMark type={id} />,
        }))}
        value={fields.type}
        onChange={(type) => onChange(isNew ? ofType(type) : { type })}
        isDisabled={typeLock !== undefined}
      />
      <Note tone="faint" isSmall>
        {typeLock ?? t.form.typeNotes[fields.type]}
      </Note>
    </Stack>
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
