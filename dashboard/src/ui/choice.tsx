import type { ReactNode } from 'react';
import {
  Checkbox as AriaCheckbox,
  RadioGroup as AriaRadioGroup,
  Switch as AriaSwitch,
  Tabs as AriaTabs,
  Link,
  Radio,
  Tab,
  TabList,
  TabPanel,
  ToggleButton,
  ToggleButtonGroup,
} from 'react-aria-components';
import styles from './choice.module.css';
import field from './field.module.css';
import { FieldLabel, FieldNotes, type FieldTexts, fieldProps } from './field-parts.tsx';
import { Icon } from './icon.tsx';

/** On or off, with effect at once or when saved. `label` names it; children are the visible text. */
export function Switch(props: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly isDisabled?: boolean;
  readonly isReadOnly?: boolean;
  readonly children?: ReactNode;
}) {
  const { label, isOn, onChange, isDisabled, isReadOnly, children } = props;
  return (
    <AriaSwitch
      className={styles.switch}
      aria-label={label}
      isSelected={isOn}
      onChange={onChange}
      isDisabled={isDisabled}
      isReadOnly={isReadOnly}
    >
      <span className={styles.track} />
      {children}
    </AriaSwitch>
  );
}

export function Checkbox(props: {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly note?: string;
  readonly name?: string;
  readonly isSelected: boolean;
  readonly isPartly?: boolean;
  readonly onChange: (isSelected: boolean) => void;
  readonly isDisabled?: boolean;
}) {
  const { label, isLabelHidden, note, isPartly, ...rest } = props;
  return (
    <AriaCheckbox
      {...rest}
      className={styles.check}
      isIndeterminate={isPartly}
      {...(isLabelHidden && { 'aria-label': label })}
    >
      {({ isSelected, isIndeterminate }) => (
        <>
          <span className={styles.box}>
            {isIndeterminate ? <span>–</span> : isSelected && <Icon name="check" />}
          </span>
          {!isLabelHidden && (
            <span>
              {label}
              {note && <span className={styles.note}>{note}</span>}
            </span>
          )}
        </>
      )}
    </AriaCheckbox>
  );
}

export interface Choice<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly note?: string;
  readonly mark?: ReactNode;
  readonly isDisabled?: boolean;
}

/** One of a few choices that need a sentence each. */
export function RadioGroup<Id extends string>(
  props: FieldTexts & {
    readonly name?: string;
    readonly choices: readonly Choice<Id>[];
    readonly value: Id | undefined;
    readonly onChange: (value: Id) => void;
  },
) {
  const { label, isLabelHidden, help, error, aside, choices, value, onChange, name } = props;
  const texts = { label, isLabelHidden, help, error, aside };
  return (
    <AriaRadioGroup
      {...fieldProps(texts)}
      name={name}
      className={field.field}
      value={value ?? null}
      onChange={(next) => onChange(next as Id)}
    >
      <FieldLabel {...texts} />
      <div className={styles.options}>
        {choices.map((choice) => (
          <Radio key={choice.id} value={choice.id} isDisabled={choice.isDisabled} className={styles.option}>
            <span className={styles.dot} />
            <span>
              {choice.label}
              {choice.note && <span className={styles.note}>{choice.note}</span>}
            </span>
          </Radio>
        ))}
      </div>
      <FieldNotes {...texts} />
    </AriaRadioGroup>
  );
}

/** One of two to four short choices. */
export function SegmentedControl<Id extends string>(props: {
  readonly label: string;
  readonly choices: readonly Choice<Id>[];
  readonly value: Id;
  readonly onChange: (value: Id) => void;
  readonly isDisabled?: boolean;
}) {
  const { label, choices, value, onChange, isDisabled } = props;
  return (
    <ToggleButtonGroup
      className={styles.segmented}
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const [next] = keys;
        if (next !== undefined) onChange(next as Id);
      }}
      isDisabled={isDisabled}
    >
      {choices.map((choice) => (
        <ToggleButton
          key={choice.id}
          id={choice.id}
          isDisabled={choice.isDisabled}
          className={styles.segment}
        >
          {choice.mark}
          <span className={styles.segmentName}>{choice.label}</span>
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}

/** Parts of one page that are not in its address. For parts with an address use LinkTabs. */
export function Tabs(props: {
  readonly label: string;
  readonly tabs: readonly { readonly id: string; readonly label: string; readonly content: ReactNode }[];
  readonly selected?: string;
  readonly onChange?: (id: string) => void;
}) {
  const { label, tabs, selected, onChange } = props;
  return (
    <AriaTabs selectedKey={selected} onSelectionChange={(key) => onChange?.(String(key))}>
      <TabList className={styles.tabs} aria-label={label}>
        {tabs.map(({ id, label: text }) => (
          <Tab key={id} id={id} className={styles.tab}>
            {text}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id}>
          {content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}

/** Views of a list, or parts of a page, each with an address of its own. */
export function LinkTabs(props: {
  readonly label: string;
  readonly tabs: readonly {
    readonly id: string;
    readonly label: string;
    readonly href: string;
    readonly count?: string | undefined;
  }[];
  readonly current: string | undefined;
}) {
  const { label, tabs, current } = props;
  return (
    <nav className={styles.tabs} aria-label={label}>
      {tabs.map((tab) => (
        <Link
          key={tab.id}
          href={tab.href}
          className={styles.tab}
          aria-current={tab.id === current ? 'page' : undefined}
        >
          {tab.label}
          {tab.count !== undefined && <span className={styles.note}>{tab.count}</span>}
        </Link>
      ))}
    </nav>
  );
}
