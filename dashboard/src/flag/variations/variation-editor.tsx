import { useState } from 'react';
import type { Flag } from '../../api/types.ts';
import { keyOf } from '../../app/key-of.ts';
import { Badge, VariationChip } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Note, Stack } from '../../ui/layout.tsx';
import { Notice } from '../../ui/surface.tsx';
import { TextField } from '../../ui/text-field.tsx';
import type { VariationEdit } from '../details/shared.ts';
import { isSame } from '../rules/instructions.ts';
import { t } from './messages.ts';
import { ValueField } from './value-field.tsx';
import styles from './variations.module.css';

/** One variation: name, its key while it is new, description and value, and why it cannot be removed. */
export function VariationEditor(props: {
  readonly type: Flag['flag_type'];
  readonly variation: VariationEdit;
  /** Undefined for a new one. */
  readonly saved: VariationEdit | undefined;
  readonly series: number;
  readonly uses: { readonly defaults: string; readonly words: readonly string[] };
  readonly isLast: boolean;
  readonly onChange: (change: Partial<Omit<VariationEdit, 'id'>>) => void;
  readonly onRemove: () => void;
}) {
  const { type, variation, saved, uses, isLast, onChange, onRemove } = props;
  const [isRefused, setRefused] = useState(false);
  const { key, name, description } = variation;
  const isUsed = uses.words.length > 0;
  const hasOwnKey = saved !== undefined || isUsed || key !== keyOf(name);
  const rename = (next: string) => onChange({ name: next, ...(!hasOwnKey && { key: keyOf(next) }) });
  const remove = () => (isUsed || isLast ? setRefused(true) : onRemove());
  return (
    <section className={styles.variation} aria-label={name || key}>
      <Head {...props} onRemove={type === 'boolean' ? undefined : remove} />
      {isRefused && (isUsed || isLast) && (
        <Notice tone="warn" title={isLast ? t.onlyOne : t.cannotRemove(name || key)} isUrgent>
          {isUsed && uses.words.join(', ')}
        </Notice>
      )}
      <Stack>
        <TextField label={t.name} value={name} onChange={rename} maxLength={200} />
        {saved === undefined && (
          <TextField
            label={t.key}
            help={t.keyHelp}
            value={key}
            onChange={(next) => onChange({ key: next })}
            maxLength={100}
            isMono
            isDisabled={isUsed}
          />
        )}
        <TextField
          label={t.description}
          value={description}
          onChange={(next) => onChange({ description: next })}
          maxLength={2_000}
        />
        <ValueField type={type} variation={variation} onChange={onChange} />
      </Stack>
    </section>
  );
}

function Head(
  props: Omit<Parameters<typeof VariationEditor>[0], 'onRemove'> & {
    readonly onRemove: (() => void) | undefined;
  },
) {
  const { variation, saved, series, uses, onRemove } = props;
  const { key, name } = variation;
  return (
    <div className={styles.head}>
      <h3>
        <VariationChip series={series}>{name || key}</VariationChip>
      </h3>
      {saved !== undefined && name !== key && <code className={styles.key}>{key}</code>}
      {saved === undefined ? (
        <Badge tone="good">{t.isNew}</Badge>
      ) : (
        !isSame(saved, variation) && <Badge tone="info">{t.isEdited}</Badge>
      )}
      {uses.defaults !== '' && (
        <Note tone="faint" isSmall>
          {t.defaultIn(uses.defaults)}
        </Note>
      )}
      {onRemove && (
        <span className={styles.end}>
          <IconButton icon="trash" label={t.remove(name || key)} isSmall onPress={onRemove} />
        </span>
      )}
    </div>
  );
}
