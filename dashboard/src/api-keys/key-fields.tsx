import { getLocalTimeZone } from '@internationalized/date';
import { useScope } from '../app/scope/use-scope.ts';
import { EnvironmentMark } from '../ui/badge.tsx';
import { RadioGroup } from '../ui/choice.tsx';
import { DateTimeField } from '../ui/date-time-field.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { NumberField } from '../ui/number-field.tsx';
import { Select } from '../ui/select.tsx';
import { TagInput } from '../ui/tag-input.tsx';
import { TextField } from '../ui/text-field.tsx';
import styles from './api-keys.module.css';
import { type KeyDraft, LIMITS, type LimitName } from './key-draft.ts';
import { t } from './messages.ts';
import { useServerLimits } from './use-api-keys.ts';

interface KeyFieldsProps {
  readonly draft: KeyDraft;
  readonly onChange: (part: Partial<KeyDraft>) => void;
  /** False: an existing key, whose environment and kind stay. */
  readonly isNew: boolean;
  /** Ids of environments whose keys the person may make. */
  readonly allowed: readonly string[];
  readonly errors: Readonly<Record<string, string>>;
}

/** All fields of a key. What most keys leave empty is folded. */
export function KeyFields({ draft, onChange, isNew, allowed, errors }: KeyFieldsProps) {
  const { environments } = useScope();
  return (
    <>
      <TextField
        label={t.form.name}
        help={t.form.nameHelp}
        name="name"
        value={draft.name}
        onChange={(name) => onChange({ name })}
        maxLength={200}
        isRequired
        autoFocus={isNew}
      />
      {isNew && (
        <>
          <Select
            label={t.form.environment}
            value={draft.environmentId}
            onChange={(environmentId) => onChange({ environmentId })}
            options={environments
              .filter(({ id }) => allowed.includes(id))
              .map(({ id, name, type }) => ({ id, label: name, mark: <EnvironmentMark type={type} /> }))}
          />
          <RadioGroup
            label={t.form.kind}
            name="kind"
            choices={t.kindChoices}
            value={draft.kind}
            onChange={(kind) => onChange({ kind })}
          />
        </>
      )}
      {draft.kind === 'client' && (
        <div>
          <TagInput
            label={t.form.origins}
            values={draft.origins}
            onChange={(origins) => onChange({ origins })}
            placeholder={t.form.originExample}
            error={errorUnder(errors, 'allowed_origins')}
          />
          <Note tone="faint" isSmall>
            {t.form.originsHelp}
          </Note>
        </div>
      )}
      <details className={styles.more} open={!isNew || Object.keys(errors).some(isFolded)}>
        <summary>{t.form.more}</summary>
        <Stack>
          <RareFields draft={draft} onChange={onChange} errors={errors} />
        </Stack>
      </details>
    </>
  );
}

function RareFields({ draft, onChange, errors }: Pick<KeyFieldsProps, 'draft' | 'onChange' | 'errors'>) {
  return (
    <>
      <div>
        <TagInput
          label={t.form.addresses}
          values={draft.addresses}
          onChange={(addresses) => onChange({ addresses })}
          placeholder={t.form.addressExample}
          error={errorUnder(errors, 'allowed_ips')}
        />
        <Note tone="faint" isSmall>
          {t.form.addressesHelp}
        </Note>
      </div>
      <DateTimeField
        label={t.form.expires}
        help={t.form.expiresHelp}
        name="expires_at"
        zone={getLocalTimeZone()}
        value={draft.expiresAt}
        onChange={(expiresAt) => onChange({ expiresAt })}
      />
      <LimitFields limits={draft.limits} onChange={(limits) => onChange({ limits })} />
    </>
  );
}

function LimitFields(props: {
  readonly limits: KeyDraft['limits'];
  readonly onChange: (limits: KeyDraft['limits']) => void;
}) {
  const { limits, onChange } = props;
  const server = useServerLimits();
  const change = (name: LimitName, value: number): void => {
    const { [name]: _, ...others } = limits;
    onChange(Number.isNaN(value) ? others : { ...others, [name]: value });
  };
  return (
    <fieldset className={styles.limits}>
      <legend>{t.form.limits}</legend>
      <div className={styles.limitGrid}>
        {LIMITS.map((name) => (
          <NumberField
            key={name}
            label={t.form.limit[name]}
            name={`rate_limits.${name}`}
            value={limits[name] ?? Number.NaN}
            onChange={(value) => change(name, value)}
            minValue={1}
            maxValue={10_000_000}
            unit={t.form.perMinute}
            help={server === undefined ? undefined : t.form.serverLimit(server[name])}
          />
        ))}
      </div>
      <Note tone="faint" isSmall>
        {t.form.limitsHelp}
      </Note>
    </fieldset>
  );
}

const isFolded = (field: string): boolean => /^(allowed_ips|expires_at|rate_limits)/.test(field);

/** The first error of a list, whose items have paths of their own: `allowed_origins.2`. */
function errorUnder(errors: Readonly<Record<string, string>>, field: string): string | undefined {
  return Object.entries(errors).find(([path]) => path === field || path.startsWith(`${field}.`))?.[1];
}
