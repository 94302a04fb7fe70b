import type { FreezeWindow } from '../api/types.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Checkbox, RadioGroup } from '../ui/choice.tsx';
import { DateTimeField } from '../ui/date-time-field.tsx';
import { Columns, Note, Stack } from '../ui/layout.tsx';
import { NumberField } from '../ui/number-field.tsx';
import { ComboBox, Select } from '../ui/select.tsx';
import { TextArea, TextField } from '../ui/text-field.tsx';
import { t } from './messages.ts';
import styles from './window-cards.module.css';
import type { Reach, WindowDraft } from './window-draft.ts';
import { type Repeat, scopeWords } from './window-words.ts';

const ALLOW = [
  ['disable', t.form.allowDisable],
  ['rollout_decrease', t.form.allowDecrease],
] as const;

interface FieldsProps {
  readonly draft: WindowDraft;
  readonly onChange: (part: Partial<WindowDraft>) => void;
  /** The window that is edited. */
  readonly window: FreezeWindow | undefined;
  readonly isDisabled: boolean;
}

/** The fields of a window: what, when, how often, and what still works. */
export function WindowFields(props: FieldsProps) {
  const { draft, onChange, isDisabled } = props;
  return (
    <>
      <TextField
        label={t.form.name}
        name="name"
        placeholder={t.form.namePlaceholder}
        value={draft.name}
        onChange={(name) => onChange({ name })}
        maxLength={200}
        isRequired
        isDisabled={isDisabled}
        autoFocus={!isDisabled}
      />
      <WhatFields {...props} />
      <WhenFields {...props} />
      <Stack gap="close">
        <Note isMedium>{t.form.allow}</Note>
        {ALLOW.map(([kind, label]) => (
          <Checkbox
            key={kind}
            label={label}
            isSelected={draft.allow.includes(kind)}
            isDisabled={isDisabled}
            onChange={(isOn) =>
              onChange({ allow: isOn ? [...draft.allow, kind] : draft.allow.filter((one) => one !== kind) })
            }
          />
        ))}
        <Note tone="faint" isSmall>
          {t.form.killSwitches}
        </Note>
      </Stack>
      <NumberField
        label={t.form.notify}
        name="notify_before_minutes"
        help={t.form.notifyHelp}
        unit={t.form.minutes}
        minValue={0}
        maxValue={10_080}
        value={draft.notifyMinutes}
        onChange={(notifyMinutes) => onChange({ notifyMinutes })}
        isDisabled={isDisabled}
      />
      <TextArea
        label={t.form.reason}
        name="reason"
        help={t.form.reasonHelp}
        value={draft.reason}
        onChange={(reason) => onChange({ reason })}
        maxLength={2_000}
        rows={2}
        isDisabled={isDisabled}
      />
    </>
  );
}

function WhatFields({ draft, onChange, window, isDisabled }: FieldsProps) {
  const { environments, project } = useScope();
  const choices: readonly { readonly id: Reach; readonly label: string; readonly note?: string }[] = [
    { id: 'some', label: t.form.some(project.name) },
    { id: 'production', label: t.form.production },
    { id: 'all', label: t.form.all },
    ...(draft.reach === 'kept' && window
      ? ([{ id: 'kept', label: t.form.kept, note: scopeWords(window.scope, environments) }] as const)
      : []),
  ];
  const toggle = (id: string, isOn: boolean) =>
    onChange({
      environmentIds: isOn ? [...draft.environmentIds, id] : draft.environmentIds.filter((one) => one !== id),
    });
  return (
    <>
      <RadioGroup
        label={t.form.scope}
        name="scope"
        choices={choices.map((choice) => ({ ...choice, isDisabled }))}
        value={draft.reach}
        onChange={(reach) => onChange({ reach })}
      />
      {draft.reach === 'some' && (
        <fieldset className={styles.inset}>
          <legend>{t.form.environments}</legend>
          {environments.map(({ id, name }) => (
            <Checkbox
              key={id}
              label={name}
              isSelected={draft.environmentIds.includes(id)}
              isDisabled={isDisabled}
              onChange={(isOn) => toggle(id, isOn)}
            />
          ))}
        </fieldset>
      )}
    </>
  );
}

function WhenFields({ draft, onChange, window, isDisabled }: FieldsProps) {
  const isRepeated = draft.repeat !== 'never';
  const repeats: readonly Repeat[] = ['never', 'daily', 'weekly', 'monthly'];
  const options = [
    ...repeats.map((id) => ({ id, label: id === 'kept' ? id : t.repeats[id] })),
    ...(window?.recurrence && draft.repeat === 'kept'
      ? [{ id: 'kept' as const, label: t.repeats.kept(window.recurrence.rule) }]
      : []),
  ];
  return (
    <>
      <Columns kind="even">
        <DateTimeField
          label={t.form.starts}
          name="starts_at"
          help={window ? undefined : t.form.startsHelp}
          zone={draft.zone}
          value={draft.startsAt}
          onChange={(startsAt) => onChange({ startsAt })}
          isDisabled={isDisabled}
        />
        <Stack gap="close">
          <DateTimeField
            label={t.form.ends}
            name="ends_at"
            zone={draft.zone}
            value={draft.isOpenEnd ? undefined : draft.endsAt}
            onChange={(endsAt) => onChange({ endsAt, isOpenEnd: false })}
            isDisabled={isDisabled || (draft.isOpenEnd && !isRepeated)}
          />
          {!isRepeated && (
            <Checkbox
              label={t.form.openEnd}
              isSelected={draft.isOpenEnd}
              isDisabled={isDisabled}
              onChange={(isOpenEnd) => onChange({ isOpenEnd })}
            />
          )}
        </Stack>
      </Columns>
      <Columns kind="even">
        <Select
          label={t.form.repeats}
          name="recurrence.rule"
          options={options}
          value={draft.repeat}
          onChange={(repeat) => onChange({ repeat, ...(repeat !== 'never' && { isOpenEnd: false }) })}
          isDisabled={isDisabled}
        />
        {isRepeated && (
          <DateTimeField
            label={t.form.until}
            name="recurrence.until"
            help={t.form.untilHelp}
            zone={draft.zone}
            value={draft.repeatUntil}
            onChange={(repeatUntil) => onChange({ repeatUntil })}
            isDisabled={isDisabled}
          />
        )}
      </Columns>
      {isRepeated && (
        <ZoneField value={draft.zone} onChange={(zone) => onChange({ zone })} isDisabled={isDisabled} />
      )}
    </>
  );
}

function ZoneField(props: {
  readonly value: string;
  readonly onChange: (zone: string) => void;
  readonly isDisabled: boolean;
}) {
  const { value, onChange, isDisabled } = props;
  const names = [...new Set([value, ...Intl.supportedValuesOf('timeZone')])];
  return (
    <ComboBox
      label={t.form.zone}
      name="recurrence.timezone"
      options={names.map((id) => ({ id, label: id }))}
      value={value}
      onChange={(zone) => zone !== undefined && onChange(zone)}
      isDisabled={isDisabled}
    />
  );
}
