import { type ClipboardEvent, type KeyboardEvent, useId, useRef, useState } from 'react';
import { classes } from './classes.ts';
import styles from './field.module.css';
import { Icon } from './icon.tsx';
import { t } from './messages.ts';

/**
 * A list of texts as chips: type, then Enter or a comma; paste many at once; Backspace takes the last one back. Used for
 * tags, for the values of a condition and wherever several choices are made.
 */
export function TagInput(props: {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  /** Values that are new in this edit: drawn as added. */
  readonly added?: readonly string[];
  readonly suggestions?: readonly string[];
  readonly placeholder?: string;
  readonly error?: string | undefined;
  readonly isDisabled?: boolean;
}) {
  const {
    label,
    isLabelHidden,
    values,
    onChange,
    added = [],
    suggestions,
    placeholder,
    error,
    isDisabled,
  } = props;
  const id = useId();
  const { text, setText, input, add, remove, onKeyDown, onPaste } = useTags(values, onChange);
  return (
    <div className={styles.field}>
      {!isLabelHidden && (
        <label className={styles.label} htmlFor={id}>
          {label}
        </label>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a click beside the chips goes to the field, as in any field. */}
      <div
        className={styles.tokens}
        onMouseDown={(event) => event.target === event.currentTarget && input.current?.focus()}
      >
        <Tokens values={values} added={added} isDisabled={isDisabled} onRemove={remove} />
        <input
          ref={input}
          id={id}
          className={styles.tokenInput}
          value={text}
          disabled={isDisabled}
          placeholder={placeholder}
          list={suggestions && `${id}-all`}
          aria-label={isLabelHidden ? label : undefined}
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          onBlur={() => text !== '' && add([text])}
        />
      </div>
      {suggestions && (
        <Suggestions id={`${id}-all`} texts={suggestions.filter((one) => !values.includes(one))} />
      )}
      {error !== undefined && (
        <span className={styles.error} id={`${id}-error`}>
          <Icon name="error" />
          {error}
        </span>
      )}
    </div>
  );
}

function Tokens(props: {
  readonly values: readonly string[];
  readonly added: readonly string[];
  readonly isDisabled: boolean | undefined;
  readonly onRemove: (value: string) => void;
}) {
  const { values, added, isDisabled, onRemove } = props;
  return values.map((value) => (
    <span key={value} className={classes(styles.token, added.includes(value) && styles.tokenNew)}>
      <span>{value}</span>
      <button
        type="button"
        className={styles.tokenRemove}
        disabled={isDisabled}
        aria-label={t.remove(value)}
        onClick={() => onRemove(value)}
      >
        <Icon name="close" isSmall />
      </button>
    </span>
  ));
}

function Suggestions({ id, texts }: { readonly id: string; readonly texts: readonly string[] }) {
  return (
    <datalist id={id}>
      {texts.map((text) => (
        <option key={text} value={text} />
      ))}
    </datalist>
  );
}

/** The text that is being typed, and what the keys do to the list. */
function useTags(values: readonly string[], onChange: (values: readonly string[]) => void) {
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const add = (texts: readonly string[]): void => {
    const fresh = texts.map((one) => one.trim()).filter((one) => one !== '' && !values.includes(one));
    if (fresh.length > 0) onChange([...values, ...new Set(fresh)]);
    setText('');
  };
  const remove = (value: string): void => {
    onChange(values.filter((one) => one !== value));
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if ((event.key === 'Enter' || event.key === ',') && text.trim() !== '') {
      event.preventDefault();
      add([text]);
    } else if (event.key === 'Backspace' && text === '' && values.length > 0) remove(values.at(-1)!);
  };
  const onPaste = (event: ClipboardEvent): void => {
    const pasted = event.clipboardData.getData('text');
    if (!/[\n,;\t]/.test(pasted)) return;
    event.preventDefault();
    add(pasted.split(/[\n,;\t]+/));
  };
  return { text, setText, input, add, remove, onKeyDown, onPaste };
}
