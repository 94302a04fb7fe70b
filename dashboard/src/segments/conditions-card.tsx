import { Button, IconButton } from '../ui/button.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { NumberField } from '../ui/number-field.tsx';
import { Select } from '../ui/select.tsx';
import { Card } from '../ui/surface.tsx';
import { TagInput } from '../ui/tag-input.tsx';
import { TextField } from '../ui/text-field.tsx';
import {
  operatorsOf,
  readNumber,
  sentenceOf,
  takesList,
  takesNumber,
  valueFor,
  verbOf,
} from './condition-words.ts';
import { t } from './messages.ts';
import styles from './segments.module.css';
import type { Condition, Operator } from './use-segments.ts';

/** The conditions as one sentence, and as fields for people who may change them. */
export function ConditionsCard(props: {
  readonly conditions: readonly Condition[];
  readonly hasList: boolean;
  readonly canEdit: boolean;
  readonly onChange: (conditions: readonly Condition[]) => void;
}) {
  const { conditions, hasList, canEdit, onChange } = props;
  return (
    <Card title={t.conditions}>
      <Stack>
        {conditions.length === 0 ? (
          <Note tone="muted">{hasList ? t.noConditionsList : t.noConditions}</Note>
        ) : (
          <p>
            {sentenceOf(conditions, hasList)}. <Note tone="faint">{t.conditionsText}</Note>
          </p>
        )}
        {canEdit &&
          conditions.map((condition, index) => (
            <ConditionFields
              // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no name of its own.
              key={index}
              condition={condition}
              number={index + 1}
              onChange={(next) => onChange(conditions.with(index, next))}
              onRemove={() => onChange(conditions.toSpliced(index, 1))}
            />
          ))}
        {canEdit && (
          <div>
            <Button
              icon="plus"
              isSmall
              onPress={() => onChange([...conditions, { attribute: '', operator: 'is', value: '' }])}
            >
              {t.addCondition}
            </Button>
          </div>
        )}
      </Stack>
    </Card>
  );
}

function ConditionFields(props: {
  readonly condition: Condition;
  readonly number: number;
  readonly onChange: (condition: Condition) => void;
  readonly onRemove: () => void;
}) {
  const { condition, number, onChange, onRemove } = props;
  const { attribute, operator } = condition;
  return (
    <div className={styles.condition}>
      <span className={styles.word}>{number === 1 ? t.if : t.and}</span>
      <TextField
        label={t.attribute(number)}
        isLabelHidden
        value={attribute}
        maxLength={200}
        autoFocus={attribute === ''}
        onChange={(next) => onChange({ ...condition, attribute: next })}
      />
      <Select
        label={t.operator(number)}
        isLabelHidden
        options={operatorsOf(attribute).map((id) => ({ id, label: verbOf(attribute, id) }))}
        value={operator}
        onChange={(next: Operator) =>
          onChange({ ...condition, operator: next, value: valueFor(next, condition.value) })
        }
      />
      <ValueField
        label={t.value(number)}
        condition={condition}
        onChange={(value) => onChange({ ...condition, value })}
      />
      <IconButton icon="close" label={t.removeCondition(number)} onPress={onRemove} />
    </div>
  );
}

function ValueField(props: {
  readonly label: string;
  readonly condition: Condition;
  readonly onChange: (value: Condition['value']) => void;
}) {
  const { label, condition, onChange } = props;
  const { operator, value } = condition;
  if (takesList(operator)) {
    const list = Array.isArray(value) ? value : [value];
    const isNumbers = list.length > 0 && list.every((one) => typeof one === 'number');
    return (
      <TagInput
        label={label}
        isLabelHidden
        values={list.map(String)}
        onChange={(next) => onChange(isNumbers ? next.map((one) => readNumber(one) ?? one) : [...next])}
      />
    );
  }
  if (takesNumber(operator))
    return (
      <NumberField
        label={label}
        isLabelHidden
        value={typeof value === 'number' ? value : Number.NaN}
        formatOptions={{ maximumFractionDigits: 10, useGrouping: false }}
        onChange={(next) => onChange(Number.isNaN(next) ? '' : next)}
      />
    );
  const number = typeof value === 'string' ? readNumber(value) : undefined;
  const canSwitch = operator === 'is' || operator === 'is_not';
  return (
    <Stack gap="close">
      <TextField
        label={label}
        isLabelHidden
        value={String(value)}
        isMono={operator === 'matches_regex'}
        onChange={onChange}
      />
      {canSwitch && (number !== undefined || typeof value === 'number') && (
        <Button kind="text" onPress={() => onChange(number ?? String(value))}>
          {number === undefined ? t.asText : t.asNumber}
        </Button>
      )}
    </Stack>
  );
}
