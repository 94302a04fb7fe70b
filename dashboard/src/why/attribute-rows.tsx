import { useRef } from 'react';
import { Button, IconButton } from '../ui/button.tsx';
import { Stack } from '../ui/layout.tsx';
import { Select } from '../ui/select.tsx';
import { TextField } from '../ui/text-field.tsx';
import { t } from './messages.ts';
import { type AttributeType, type ContextFault, TYPES, type TypedAttribute } from './typed-context.ts';
import styles from './why.module.css';

/** A row for a new attribute. */
export function newAttribute(attributes: readonly TypedAttribute[], name: string): TypedAttribute {
  const id = Math.max(0, ...attributes.map((one) => one.id)) + 1;
  return { id, name, type: 'text', text: '' };
}

/** Names, types and values of attributes. */
export function AttributeRows(props: {
  readonly attributes: readonly TypedAttribute[];
  readonly faults: readonly ContextFault[];
  readonly onChange: (attributes: readonly TypedAttribute[]) => void;
  readonly onAdd: () => void;
}) {
  const { attributes, faults, onChange, onAdd } = props;
  const added = useRef<number>(undefined);
  const set = (id: number, part: Partial<TypedAttribute>) =>
    onChange(attributes.map((one) => (one.id === id ? { ...one, ...part } : one)));
  return (
    <Stack gap="close">
      <span className={styles.label}>{t.context.attributes}</span>
      {attributes.map((attribute, index) => (
        <AttributeRow
          key={attribute.id}
          attribute={attribute}
          number={index + 1}
          isNew={added.current === attribute.id}
          error={errorOf(attribute.id, faults)}
          onChange={(part) => set(attribute.id, part)}
          onRemove={() => onChange(attributes.filter(({ id }) => id !== attribute.id))}
        />
      ))}
      <div>
        <Button
          kind="quiet"
          isSmall
          icon="plus"
          onPress={() => {
            added.current = newAttribute(attributes, '').id;
            onAdd();
          }}
        >
          {t.context.add}
        </Button>
      </div>
    </Stack>
  );
}

function AttributeRow(props: {
  readonly attribute: TypedAttribute;
  readonly number: number;
  readonly isNew: boolean;
  readonly error: string | undefined;
  readonly onChange: (part: Partial<TypedAttribute>) => void;
  readonly onRemove: () => void;
}) {
  const { attribute, number, isNew, error, onChange, onRemove } = props;
  const { name, type, text } = attribute;
  const label = name === '' ? t.context.attribute(number) : name;
  return (
    <div className={styles.pair}>
      <TextField
        label={t.context.nameOf(number)}
        isLabelHidden
        value={name}
        onChange={(next) => onChange({ name: next })}
        placeholder={t.context.name}
        autoFocus={isNew}
        autoComplete="off"
        isMono
      />
      <Select
        label={t.context.typeOf(label)}
        isLabelHidden
        options={TYPES.map((id) => ({ id, label: t.types[id] }))}
        value={type}
        onChange={(next) => onChange({ type: next, text: textFor(next, text) })}
      />
      {type === 'boolean' ? (
        <Select
          label={t.context.valueOf(label)}
          isLabelHidden
          options={[
            { id: 'true', label: t.yes },
            { id: 'false', label: t.no },
          ]}
          value={text === 'true' ? 'true' : 'false'}
          onChange={(next) => onChange({ text: next })}
        />
      ) : (
        <TextField
          label={t.context.valueOf(label)}
          isLabelHidden
          value={text}
          onChange={(next) => onChange({ text: next })}
          placeholder={type === 'list' ? t.context.listPlaceholder : t.context.value}
          inputMode={type === 'number' ? 'decimal' : 'text'}
          error={error}
          autoComplete="off"
          isMono
        />
      )}
      <IconButton icon="close" label={t.context.remove(label)} isSmall onPress={onRemove} />
    </div>
  );
}

const textFor = (type: AttributeType, text: string): string =>
  type === 'boolean' && text !== 'true' ? 'false' : text;

function errorOf(id: number, faults: readonly ContextFault[]): string | undefined {
  const fault = faults.find((one) => 'id' in one && one.id === id);
  if (fault?.kind === 'number') return t.faults.number;
  if (fault?.kind === 'json') return t.faults.json;
  return fault?.kind === 'repeated' ? t.faults.repeated : undefined;
}
