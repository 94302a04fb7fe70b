import { type AssignedRights, rightsOf } from '../app/rights/rights.ts';
import { RightsFields } from '../app/rights/rights-fields.tsx';
import type { Places } from '../app/rights/use-places.ts';
import { RadioGroup } from '../ui/choice.tsx';
import { TextArea, TextField } from '../ui/text-field.tsx';
import { t } from './messages.ts';
import type { Account } from './use-accounts.ts';

/** The fields of a service account that a person edits. */
export interface AccountFields extends AssignedRights {
  readonly name: string;
  readonly description: string;
}

export function fieldsOf(account: Account): AccountFields {
  const { name, description } = account;
  return { name, description, ...rightsOf(account) };
}

/** Name, description and rights, and the kind of a new account. */
export function AccountForm(props: {
  readonly fields: AccountFields;
  readonly onChange: (part: Partial<AccountFields>) => void;
  readonly kind: Account['kind'];
  /** Undefined: an existing account, whose kind stays. */
  readonly onKind?: (kind: Account['kind']) => void;
  readonly places: Places;
  readonly errors: Readonly<Record<string, string>>;
}) {
  const { fields, onChange, kind, onKind, places, errors } = props;
  return (
    <>
      <TextField
        label={t.form.name}
        help={t.form.nameHelp}
        name="name"
        value={fields.name}
        onChange={(name) => onChange({ name })}
        maxLength={200}
        autoFocus={onKind !== undefined}
      />
      <TextArea
        label={t.form.description}
        name="description"
        value={fields.description}
        onChange={(description) => onChange({ description })}
        maxLength={2000}
        rows={2}
      />
      {onKind && (
        <RadioGroup label={t.form.kind} name="kind" choices={t.kindChoices} value={kind} onChange={onKind} />
      )}
      <RightsFields
        rights={rightsOf(fields)}
        onChange={onChange}
        places={places}
        errors={errors}
        isAgent={kind === 'agent'}
      />
    </>
  );
}
