import type { Ref } from 'react';
import { TextArea as AriaTextArea, TextField as AriaTextField, Input } from 'react-aria-components';
import { classes } from './classes.ts';
import styles from './field.module.css';
import { FieldLabel, FieldNotes, type FieldTexts, fieldProps } from './field-parts.tsx';

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
