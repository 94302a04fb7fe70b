import { useState } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { ComboBox, type Option, Select } from '../../ui/select.tsx';
import { TagInput } from '../../ui/tag-input.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { type Condition, type ConditionValue, type Operator, SEGMENT } from './condition.ts';
import styles from './condition-editor.module.css';
import {
  operatorsOf,
  otherReading,
  readNumber,
  takesList,
  takesNumber,
  valueFor,
} from './condition-words.ts';
import { t } from './messages.ts';

/** What the fields of a condition offer. */
export interface Choices {
  readonly attributes: readonly string[];
  /** Undefined where a condition cannot ask for a segment: in a segment. */
  readonly segments: readonly { readonly key: string; readonly name: string }[] | undefined;
}

/** One condition: attribute, comparison, value. */
export function ConditionEditor(props: {
  readonly condition: Condition;
  readonly number: number;
  readonly choices: Choices;
  /** The condition as it is saved, to mark what is new. */
  readonly before?: Condition | undefined;
  readonly onChange: (condition: Condition) => void;
  readonly onRemove: () => void;
}) {
  const { condition, number, choices, before, onChange, onRemove } = props;
  const { attribute, operator } = condition;
  return (
    <div className={styles.condition}>
      <span className={styles.word}>{number === 1 ? t.if : t.and}</span>
      <AttributeField
        label={t.attribute(number)}
        value={attribute}
        choices={choices}
        onChange={(next) => onChange(withAttribute(condition, next))}
      />
      <Select
        label={t.operator(number)}
        isLabelHidden
        options={operatorsOf(attribute).map((id) => ({ id, label: operatorWords(attribute, id) }))}
        value={operator}
        onChange={(next: Operator) =>
          onChange({ ...condition, operator: next, value: valueFor(next, condition.value) })
        }
      />
      <div className={styles.value}>
        <ValueField
          label={t.value(number)}
          condition={condition}
          before={before?.value}
          segments={choices.segments ?? []}
          onChange={(value) => onChange({ ...condition, value })}
        />
      </div>
      <IconButton icon="close" label={t.remove(number)} onPress={onRemove} />
    </div>
  );
}

function operatorWords(attribute: string, operator: Operator): string {
  return attribute === SEGMENT ? (t.segmentChoices[operator] ?? operator) : t.verbs[operator];
}

/** Membership of segments has comparisons of its own, and its values are no values of an attribute. */
function withAttribute(condition: Condition, attribute: string): Condition {
  const wasSegment = condition.attribute === SEGMENT;
  if (wasSegment === (attribute === SEGMENT)) return { ...condition, attribute };
  return attribute === SEGMENT
    ? { attribute, operator: 'one_of', value: [] }
    : { attribute, operator: 'is', value: '' };
}

function AttributeField(props: {
  readonly label: string;
  readonly value: string;
  readonly choices: Choices;
  readonly onChange: (attribute: string) => void;
}) {
  const { label, value, choices, onChange } = props;
  const { attributes, segments } = choices;
  const [typed, setTyped] = useState(value);
  const known = value === '' || value === SEGMENT ? attributes : [...new Set([value, ...attributes])];
  const options: Option[] = [
    ...known.map((id) => ({ id, label: id })),
    ...(segments ? [{ id: SEGMENT, label: t.segment, note: t.segmentNote }] : []),
  ];
  // A text that is no choice is taken when the field is left.
  const commit = () => {
    const text = segments && typed.trim() === t.segment ? SEGMENT : typed.trim();
    if (text !== value) onChange(text);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only hears that the field inside was left.
    <div onBlur={commit}>
      <ComboBox
        label={label}
        isLabelHidden
        options={options}
        value={value === '' ? undefined : value}
        allowsCustom
        onCustom={setTyped}
        onChange={(id) => id !== undefined && onChange(id)}
      />
    </div>
  );
}

function ValueField(props: {
  readonly label: string;
  readonly condition: Condition;
  readonly before: ConditionValue | undefined;
  readonly segments: NonNullable<Choices['segments']>;
  readonly onChange: (value: ConditionValue) => void;
}) {
  const { label, condition, before, segments, onChange } = props;
  const { attribute, operator, value } = condition;
  const isSegment = attribute === SEGMENT;
  if (takesList(operator)) {
    const values = (Array.isArray(value) ? value : [value]).map(String);
    const old = before === undefined ? undefined : (Array.isArray(before) ? before : [before]).map(String);
    return (
      <>
        <TagInput
          label={label}
          isLabelHidden
          values={values}
          added={old ? values.filter((one) => !old.includes(one)) : []}
          {...(isSegment && { suggestions: segments.map(({ key }) => key) })}
          placeholder={t.addValue}
          onChange={(next) => onChange(sameType(value, next))}
        />
        {!isSegment && <OtherReading value={value} onChange={onChange} />}
      </>
    );
  }
  if (isSegment)
    return (
      <Select
        label={label}
        isLabelHidden
        options={segments.map(({ key, name }) => ({ id: key, label: name || key }))}
        value={value === '' ? undefined : String(value)}
        onChange={onChange}
      />
    );
  if (takesNumber(operator))
    return (
      <NumberField
        label={label}
        isLabelHidden
        value={typeof value === 'number' ? value : Number.NaN}
        onChange={(next) => onChange(Number.isNaN(next) ? '' : next)}
      />
    );
  return (
    <>
      <TextField
        label={label}
        isLabelHidden
        value={String(value)}
        isMono={operator === 'matches_regex'}
        onChange={onChange}
      />
      {(operator === 'is' || operator === 'is_not') && <OtherReading value={value} onChange={onChange} />}
    </>
  );
}

/** `42` and the text "42" are not equal: offers the other reading of what was typed. */
function OtherReading(props: {
  readonly value: ConditionValue;
  readonly onChange: (value: ConditionValue) => void;
}) {
  const other = otherReading(props.value);
  if (other === undefined) return null;
  const [one] = Array.isArray(other) ? other : [other];
  const label = typeof one === 'number' ? t.asNumber : typeof one === 'boolean' ? t.asYesNo : t.asText;
  return (
    <Button kind="text" onPress={() => props.onChange(other)}>
      {label}
    </Button>
  );
}

/** A list keeps its type while values are added, as far as they can be read so. */
function sameType(before: ConditionValue, next: readonly string[]): ConditionValue {
  const isNumbers =
    Array.isArray(before) && before.length > 0 && before.every((one) => typeof one === 'number');
  return isNumbers ? next.map((one) => readNumber(one) ?? one) : [...next];
}
