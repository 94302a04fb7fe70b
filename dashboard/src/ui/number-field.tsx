import { NumberField as AriaNumberField, Group, Input } from 'react-aria-components';
import { classes } from './classes.ts';
import styles from './field.module.css';
import { FieldLabel, FieldNotes, type FieldTexts, fieldProps } from './field-parts.tsx';

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
