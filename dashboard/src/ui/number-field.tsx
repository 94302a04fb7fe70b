import { type KeyboardEvent, useState } from 'react';
import { Group, Input, TextField } from 'react-aria-components';
import { classes } from './classes.ts';
import styles from './field.module.css';
import { FieldLabel, FieldNotes, type FieldTexts, fieldProps } from './field-parts.tsx';

const STEPS: Readonly<Record<string, number>> = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 };

/**
 * A number, with its unit at the end: `60 days`. The value is NaN while the field is empty or its text is no number.
 * Arrow keys count, and a number out of bounds becomes the nearest bound when the field is left.
 */
export function NumberField(
  props: FieldTexts & {
    readonly name?: string;
    readonly value: number;
    readonly onChange: (value: number) => void;
    readonly minValue?: number;
    readonly maxValue?: number;
    readonly unit?: string;
    readonly isDisabled?: boolean;
  },
) {
  const { label, isLabelHidden, help, error, aside, unit, value, onChange } = props;
  const { minValue = -Infinity, maxValue = Infinity } = props;
  const texts = { label, isLabelHidden, help, error, aside };
  // What the person types stays as it is until the field is left, even where it is no number yet.
  const [typed, setTyped] = useState<string>();
  const commit = (next: number): void => {
    setTyped(undefined);
    const inBounds = Math.min(maxValue, Math.max(minValue, next));
    if (!Object.is(inBounds, value)) onChange(inBounds);
  };
  const step = (event: KeyboardEvent): void => {
    const by = STEPS[event.key];
    if (by === undefined) return;
    event.preventDefault();
    commit((Number.isNaN(value) ? 0 : value) + by);
  };
  return (
    <TextField
      {...fieldProps(texts)}
      name={props.name}
      isDisabled={props.isDisabled}
      className={styles.field}
      inputMode="decimal"
      value={typed ?? (Number.isNaN(value) ? '' : String(value))}
      onChange={(text) => {
        setTyped(text);
        onChange(parseNumber(text));
      }}
      onBlur={() => commit(value)}
    >
      <FieldLabel {...texts} />
      <Group className={styles.group}>
        <Input className={classes(styles.input, styles.number)} onKeyDown={step} />
        {unit && <span className={styles.unit}>{unit}</span>}
      </Group>
      <FieldNotes {...texts} />
    </TextField>
  );
}

const DECIMAL = /^[-+]?(\d+([.,]\d*)?|[.,]\d+)$/;

/** A decimal number with a point or a comma, without groups of thousands; NaN for every other text. */
const parseNumber = (text: string): number =>
  DECIMAL.test(text.trim()) ? Number(text.trim().replace(',', '.')) : Number.NaN;
