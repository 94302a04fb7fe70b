import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icon.tsx';
import { Select } from '../../ui/select.tsx';
import { t } from '../messages.ts';
import type { Config } from './config.ts';
import { type Names, Variation } from './rule-sentence.tsx';
import styles from './rules.module.css';

/** What everyone gets whom no rule takes. It cannot be moved or removed. */
export function DefaultCard(props: {
  readonly config: Config;
  readonly variations: readonly string[];
  readonly names: Names;
  readonly isEdited: boolean;
  /** Undefined: the person may only look. */
  readonly onChange?: (variation: string) => void;
}) {
  const { config, variations, names, isEdited, onChange } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <li className={classes(styles.rule, styles.default)}>
      <div className={styles.row}>
        <span />
        <span className={styles.number}>
          <Icon name="right" isSmall />
        </span>
        <div className={styles.text}>
          <h3 className={styles.name}>
            {t.rules.otherwise}
            {isEdited && <Badge tone="info">{t.rules.edited}</Badge>}
          </h3>
          <p className={styles.sentence}>
            {t.rules.otherwiseServe} <Variation name={config.fallback} names={names} />{' '}
            <span className={styles.faint}>{t.rules.otherwiseNote}</span>
          </p>
        </div>
        {onChange && (
          <IconButton
            icon={isOpen ? 'up' : 'pencil'}
            label={t.rules.changeDefault}
            isSmall
            onPress={() => setOpen(!isOpen)}
          />
        )}
      </div>
      {isOpen && onChange && (
        <div className={styles.editor}>
          <Select
            label={t.editor.variation}
            options={variations.map((id) => ({ id, label: names.variation(id) }))}
            value={config.fallback}
            onChange={onChange}
          />
        </div>
      )}
    </li>
  );
}
