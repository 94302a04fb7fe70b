import type { Ref } from 'react';
import { Button as AriaButton, SearchField as AriaSearchField, Group, Input } from 'react-aria-components';
import styles from './field.module.css';
import { Icon } from './icon.tsx';
import { t } from './messages.ts';

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
