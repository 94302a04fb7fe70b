import { useState } from 'react';
import type { Flag } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { SegmentedControl } from '../../ui/choice.tsx';
import { TextArea, TextField } from '../../ui/text-field.tsx';
import type { VariationEdit } from '../details/shared.ts';
import { t } from './messages.ts';
import { editText, readValue } from './values.ts';
import styles from './variations.module.css';

/** The value of a variation, edited as its type needs it. What is no value yet is kept as it was typed. */
export function ValueField(props: {
  readonly type: Flag['flag_type'];
  readonly variation: VariationEdit;
  readonly onChange: (change: Pick<VariationEdit, 'text'> & { readonly value?: unknown }) => void;
}) {
  const { type, variation, onChange } = props;
  const { value, text: kept } = variation;
  const [typed, setTyped] = useState(() => kept ?? editText(type, value));
  // An undo in the save bar, or a reload, changes the value from outside.
  const reading = readValue(type, typed);
  const isSame =
    'fault' in reading ? kept === typed : JSON.stringify(reading.value) === JSON.stringify(value);
  const text = isSame ? typed : (kept ?? editText(type, value));
  const read = isSame ? reading : readValue(type, text);
  const fault = 'fault' in read ? read.fault : undefined;
  const change = (next: string) => {
    setTyped(next);
    const answer = readValue(type, next);
    onChange('fault' in answer ? { text: next } : { text: undefined, value: answer.value });
  };
  if (type === 'boolean')
    return (
      <div className={styles.boolean}>
        <span aria-hidden="true">{t.value}</span>
        <SegmentedControl
          label={t.value}
          value={String(value)}
          choices={[
            { id: 'true', label: t.true },
            { id: 'false', label: t.false },
          ]}
          onChange={change}
        />
      </div>
    );
  if (type === 'number')
    return (
      <TextField label={t.value} value={text} onChange={change} error={fault} inputMode="decimal" isMono />
    );
  if (type === 'string') return <TextArea label={t.value} value={text} onChange={change} rows={2} isMono />;
  return (
    <TextArea
      label={t.value}
      value={text}
      onChange={change}
      error={fault}
      rows={Math.min(18, Math.max(4, text.split('\n').length))}
      isMono
      aside={
        fault === undefined && text !== editText(type, value) ? (
          <Button kind="text" onPress={() => change(editText(type, value))}>
            {t.format}
          </Button>
        ) : undefined
      }
    />
  );
}
