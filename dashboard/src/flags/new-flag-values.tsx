import { Stack } from '../ui/layout.tsx';
import { TextField } from '../ui/text-field.tsx';
import { t } from './messages.ts';
import { isValue, type NewFlag, VALUES_MAX } from './new-flag.ts';

/** What a flag of texts or numbers can serve. There is always one empty field more; empty ones count for nothing. */
export function NewFlagValues(props: {
  readonly type: NewFlag['type'];
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}) {
  const { type, values, onChange } = props;
  const shown = Math.min(Math.max(values.length + 1, 2), VALUES_MAX);
  const change = (at: number, text: string): void => {
    const next = Array.from({ length: Math.max(values.length, at + 1) }, (_, index) => values[index] ?? '');
    onChange(next.with(at, text));
  };
  return (
    <Stack gap="close">
      {Array.from({ length: shown }, (_, index) => (
        <TextField
          // biome-ignore lint/suspicious/noArrayIndexKey: a value has no name but its place.
          key={index}
          label={t.form.value(index + 1)}
          {...(index === 0 && { help: t.form.firstValueHelp })}
          value={values[index] ?? ''}
          onChange={(text) => change(index, text)}
          error={isValue(type, values[index] ?? '') ? undefined : t.form.notANumber}
          {...(type === 'number' && { inputMode: 'decimal' as const })}
          maxLength={10_000}
          isMono
        />
      ))}
    </Stack>
  );
}
