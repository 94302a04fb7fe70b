import type { FormEvent, ReactNode } from 'react';
import { Form as AriaForm } from 'react-aria-components';
import styles from './layout.module.css';

/**
 * A form whose fields show the server's errors: `errors` by the fields' `name`, from `fieldErrors(problem)`. Enter
 * submits; a refused field takes the focus.
 */
export function Form(props: {
  readonly onSubmit: () => void;
  readonly errors?: Record<string, string> | undefined;
  readonly id?: string;
  readonly 'aria-labelledby'?: string;
  readonly children: ReactNode;
}) {
  const { onSubmit, errors, children, ...rest } = props;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <AriaForm
      {...rest}
      className={styles.stack}
      onSubmit={submit}
      validationErrors={errors ?? {}}
      validationBehavior="aria"
    >
      {children}
    </AriaForm>
  );
}
