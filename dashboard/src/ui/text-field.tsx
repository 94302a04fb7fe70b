import type { Ref } from 'react';
import {
  Button as AriaButton,
  NumberField as AriaNumberField,
  SearchField as AriaSearchField,
  TextArea as AriaTextArea,
  TextField as AriaTextField,
  Group,
  Input,
} from 'react-aria-components';
import { classes } from './classes.ts';
import styles from './field.module.css';
import { FieldLabel, FieldNotes, type FieldTexts, fieldProps } from './field-parts.tsx';
import { Icon } from './icon.tsx';
import { t } from './messages.ts';

export interface TextFieldProps extends FieldTexts {
  /** The field's path in the API, so that `Form` shows the server's errors in place. */
  readonly name?: string;
  readonly value?: string;
  readonly defaultValue?: string;
  readonly onChange?: (value: string) => void;
  readonly onBlur?: () => void;
  readonly type?: 'text' | 'email' | 'password' | 'url';
  readonly autoComplete?: string;
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
  readonly isReadOnly?: boolean;
  readonly autoFocus?: boolean;
  /** For keys, code and values. */
  readonly isMono?: boolean;
  readonly inputMode?: 'text' | 'numeric' | 'decimal';
  readonly inputRef?: Ref<HTMLInputElement>;
}

export function TextField(props: TextFieldProps) {
  const { label, isLabelHidden, help, error, aside, isMono, placeholder, inputRef, ...rest } = props;
  const texts = { label, isLabelHidden, help, error, aside };
  return (
    <AriaTextField {...rest} {...fieldProps(texts)} className={styles.field}>
      <FieldLabel {...texts} />
      <Input
        ref={inputRef}
        className={classes(styles.input, isMono && styles.mono)}
        placeholder={placeholder}
        {...(isMono && { spellCheck: false })}
      />
      <FieldNotes {...texts} />
    </AriaTextField>
  );
}

export function TextArea(props: Omit<TextFieldProps, 'type' | 'inputRef'> & { readonly rows?: number }) {
  const { label, isLabelHidden, help, error, aside, isMono, placeholder, rows = 3, ...rest } = props;
  const texts = { label, isLabelHidden, help, error, aside };
  return (
    <AriaTextField {...rest} {...fieldProps(texts)} className={styles.field}>
      <FieldLabel {...texts} />
      <AriaTextArea
        rows={rows}
        className={classes(styles.input, styles.area, isMono && styles.mono)}
        placeholder={placeholder}
        {...(isMono && { spellCheck: false })}
      />
      <FieldNotes {...texts} />
    </AriaTextField>
  );
}

/** A search with its glass, and a way to clear it. `shortcut` shows the key that leads here. */
export function SearchField(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly shortcut?: string;
  readonly autoFocus?: boolean;
  readonly inputRef?: Ref<HTMLInputElement>;
}) {
  const { label, value, onChange, placeholder = t.search, shortcut, autoFocus, inputRef } = props;
  return (
    <AriaSearchField
      aria-label={label}
      value={value}
      onChange={onChange}
      autoFocus={autoFocus}
      className={styles.field}
    >
      <Group className={styles.group}>
        <span className={styles.lead}>
          <Icon name="search" />
        </span>
        <Input ref={inputRef} className={styles.input} placeholder={placeholder} />
        {value === '' ? (
          shortcut && (
            <span className={styles.unit} aria-hidden="true">
              <kbd>{shortcut}</kbd>
            </span>
          )
        ) : (
          <AriaButton className={styles.inside} aria-label={t.clear}>
            <Icon name="close" isSmall />
          </AriaButton>
        )}
      </Group>
    </AriaSearchField>
  );
}

/** A number, with its unit at the end: `60 %`. */
export function NumberField(
  props: FieldTexts & {
    readonly name?: string;
    readonly value?: number;
    readonly defaultValue?: number;
    readonly onChange?: (value: number) => void;
    readonly minValue?: number;
    readonly maxValue?: number;
    readonly step?: number;
    readonly unit?: string;
    readonly isRequired?: boolean;
    readonly isDisabled?: boolean;
    readonly formatOptions?: Intl.NumberFormatOptions;
  },
) {
  const { label, isLabelHidden, help, error, aside, unit, ...rest } = props;
  const texts = { label, isLabelHidden, help, error, aside };
  return (
    <AriaNumberField {...rest} {...fieldProps(texts)} className={styles.field}>
      <FieldLabel {...texts} />
      <Group className={styles.group}>
        <Input className={classes(styles.input, styles.number)} />
        {unit && <span className={styles.unit}>{unit}</span>}
      </Group>
      <FieldNotes {...texts} />
    </AriaNumberField>
  );
}
