import { TextField } from '../ui/text-field.tsx';
import { t } from './messages.ts';

interface FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly autoFocus?: boolean;
}

export function NameField(props: FieldProps) {
  return <TextField {...props} label={t.name} name="full_name" autoComplete="name" maxLength={200} />;
}

export function EmailField(props: FieldProps) {
  return (
    <TextField {...props} label={t.email} name="email" type="email" autoComplete="username" isRequired />
  );
}

export function NewPasswordField({ label = t.password, ...props }: FieldProps & { readonly label?: string }) {
  return (
    <TextField
      {...props}
      label={label}
      name="password"
      type="password"
      autoComplete="new-password"
      help={t.passwordHelp}
      isRequired
    />
  );
}
