import type { ReactNode } from 'react';
import { FieldError, Label, Text } from 'react-aria-components';
import styles from './field.module.css';
import { Icon } from './icon.tsx';

/** What every field has around its control. */
export interface FieldTexts {
  /** Always present: screen readers need it. `isLabelHidden` keeps it from the eye where the place says it. */
  readonly label: string;
  readonly isLabelHidden?: boolean;
  /** A sentence below the field. */
  readonly help?: ReactNode;
  /** Why the value is refused. Takes the place of the help. */
  readonly error?: string | undefined;
  /** Beside the label, such as a link. */
  readonly aside?: ReactNode;
}

export function FieldLabel({ label, isLabelHidden, aside }: FieldTexts) {
  if (isLabelHidden) return null;
  if (aside === undefined) return <Label className={styles.label}>{label}</Label>;
  return (
    <div className={styles.labelLine}>
      <Label className={styles.label}>{label}</Label>
      {aside}
    </div>
  );
}

export function FieldNotes({ help, error }: FieldTexts) {
  return (
    <>
      {help !== undefined && error === undefined && (
        <Text slot="description" className={styles.help}>
          {help}
        </Text>
      )}
      <FieldError className={styles.error}>
        {({ validationErrors }) => (
          <>
            <Icon name="error" />
            <span>{error ?? validationErrors.join(' ')}</span>
          </>
        )}
      </FieldError>
    </>
  );
}

/** Attributes of the field: its name for screen readers when the label is hidden, and whether it is refused. */
export function fieldProps({ label, isLabelHidden, error }: FieldTexts): {
  readonly 'aria-label'?: string;
  readonly isInvalid?: true;
} {
  return {
    ...(isLabelHidden && { 'aria-label': label }),
    ...(error !== undefined && { isInvalid: true as const }),
  };
}
