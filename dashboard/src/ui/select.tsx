import type { ReactNode } from 'react';
import {
  Button as AriaButton,
  ComboBox as AriaComboBox,
  Select as AriaSelect,
  Group,
  Input,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
} from 'react-aria-components';
import styles from './field.module.css';
import { FieldLabel, FieldNotes, type FieldTexts, fieldProps } from './field-parts.tsx';
import { Icon } from './icon.tsx';
import { t } from './messages.ts';
import overlay from './overlay.module.css';

export interface Option<Id extends string = string> {
  readonly id: Id;
  readonly label: string;
  readonly note?: string | undefined;
  /** Before the label, such as an EnvironmentBadge. */
  readonly mark?: ReactNode;
}

/** One of a few known choices. For many choices, or with search, use ComboBox. */
export function Select<Id extends string>(
  props: FieldTexts & {
    readonly name?: string;
    readonly options: readonly Option<Id>[];
    readonly value: Id | undefined;
    readonly onChange: (value: Id) => void;
    readonly placeholder?: string;
    readonly isDisabled?: boolean;
  },
) {
  const { label, isLabelHidden, help, error, aside, options, value, onChange, placeholder, ...rest } = props;
  const texts = { label, isLabelHidden, help, error, aside };
  return (
    <AriaSelect
      {...rest}
      {...fieldProps(texts)}
      className={styles.field}
      selectedKey={value ?? null}
      onSelectionChange={(key) => key !== null && onChange(key as Id)}
      placeholder={placeholder ?? ''}
    >
      <FieldLabel {...texts} />
      <AriaButton className={styles.select}>
        <SelectValue className={styles.value}>
          {({ selectedText, defaultChildren }) => selectedText || defaultChildren}
        </SelectValue>
        <Icon name="down" isSmall />
      </AriaButton>
      <FieldNotes {...texts} />
      <Popover className={overlay.popover} offset={4}>
        <ListBox className={overlay.list} items={options} renderEmptyState={() => t.nothingFits}>
          {(option) => <OptionItem option={option} />}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

/** One of many choices, found by typing. `allowsCustom` also takes a text that is not among them. */
export function ComboBox<Id extends string>(
  props: FieldTexts & {
    readonly name?: string;
    readonly options: readonly Option<Id>[];
    readonly value: Id | undefined;
    readonly onChange: (value: Id | undefined) => void;
    /** For choices that the server searches. Without it the list is filtered here. */
    readonly onSearch?: (text: string) => void;
    readonly allowsCustom?: boolean;
    readonly onCustom?: (text: string) => void;
    readonly placeholder?: string;
    readonly isDisabled?: boolean;
  },
) {
  const { label, isLabelHidden, help, error, aside, options, value, onChange, onSearch, ...rest } = props;
  const { allowsCustom, onCustom, placeholder, name, isDisabled } = rest;
  const texts = { label, isLabelHidden, help, error, aside };
  return (
    <AriaComboBox
      {...fieldProps(texts)}
      name={name}
      isDisabled={isDisabled}
      className={styles.field}
      selectedKey={value ?? null}
      onSelectionChange={(key) => onChange((key ?? undefined) as Id | undefined)}
      {...(onSearch ? { items: options } : { defaultItems: options })}
      onInputChange={(text) => {
        onSearch?.(text);
        if (allowsCustom) onCustom?.(text);
      }}
      allowsCustomValue={allowsCustom}
      allowsEmptyCollection
      menuTrigger="focus"
    >
      <FieldLabel {...texts} />
      <Group className={styles.group}>
        <Input className={styles.input} placeholder={placeholder} />
        <AriaButton className={styles.inside} aria-label={t.showOptions}>
          <Icon name="down" isSmall />
        </AriaButton>
      </Group>
      <FieldNotes {...texts} />
      <Popover className={overlay.popover} offset={4}>
        <ListBox<Option<Id>>
          className={overlay.list}
          renderEmptyState={() => <div className={overlay.heading}>{t.nothingFits}</div>}
        >
          {(option) => <OptionItem option={option} />}
        </ListBox>
      </Popover>
    </AriaComboBox>
  );
}

function OptionItem({ option }: { readonly option: Option }) {
  return (
    <ListBoxItem id={option.id} textValue={option.label} className={overlay.item}>
      {({ isSelected }) => (
        <>
          {option.mark}
          <span className={overlay.itemText}>
            {option.label}
            {option.note && <span className={overlay.itemNote}>{option.note}</span>}
          </span>
          {isSelected && (
            <span className={overlay.itemEnd}>
              <Icon name="check" />
            </span>
          )}
        </>
      )}
    </ListBoxItem>
  );
}
