import type { Choices } from '../../app/conditions/condition-editor.tsx';
import { ConditionList } from '../../app/conditions/condition-list.tsx';
import { Button } from '../../ui/button.tsx';
import { SegmentedControl } from '../../ui/choice.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { t } from '../messages.ts';
import type { Rule } from './config.ts';
import type { Names } from './rule-sentence.tsx';
import styles from './rules.module.css';
import { ShareEditor } from './share-editor.tsx';
import { splitOf, withEveryVariation } from './shares.ts';

type RuleChange = Partial<Omit<Rule, 'id'>>;

/** The fields of an open rule: name, conditions, and what it serves. */
export function RuleEditor(props: {
  readonly rule: Rule;
  /** The rule as it is saved; undefined for a new one. */
  readonly before: Rule | undefined;
  readonly variations: readonly string[];
  readonly names: Names;
  readonly choices: Choices;
  readonly onChange: (change: RuleChange) => void;
  readonly onClose: () => void;
}) {
  const { rule, before, variations, names, choices, onChange, onClose } = props;
  return (
    <div className={styles.editor}>
      <TextField
        label={t.editor.name}
        value={rule.name}
        placeholder={t.editor.namePlaceholder}
        onChange={(name) => onChange({ name })}
        maxLength={255}
      />
      <Conditions rule={rule} before={before} choices={choices} onChange={onChange} />
      <ServeEditor rule={rule} before={before} variations={variations} names={names} onChange={onChange} />
      <div>
        <Button isSmall onPress={onClose}>
          {t.editor.done}
        </Button>
      </div>
    </div>
  );
}

function Conditions(props: {
  readonly rule: Rule;
  readonly before: Rule | undefined;
  readonly choices: Choices;
  readonly onChange: (change: RuleChange) => void;
}) {
  const { rule, before, choices, onChange } = props;
  return (
    <div className={styles.part}>
      {rule.conditions.length === 0 && <p className={styles.faint}>{t.editor.everyone}</p>}
      <ConditionList
        conditions={rule.conditions}
        before={before?.conditions}
        choices={choices}
        onChange={(conditions) => onChange({ conditions })}
      />
    </div>
  );
}

function ServeEditor(props: {
  readonly rule: Rule;
  readonly before: Rule | undefined;
  readonly variations: readonly string[];
  readonly names: Names;
  readonly onChange: (change: RuleChange) => void;
}) {
  const { rule, before, variations, names, onChange } = props;
  const { variation, shares, units } = rule;
  if (units) return <p className={styles.faint}>{t.editor.units}</p>;
  const choose = (kind: 'one' | 'split') => {
    if (kind === 'one') onChange({ variation: shares?.[0]?.variation ?? variations[0], shares: undefined });
    else onChange({ variation: undefined, shares: splitOf(variation ?? variations[0]!, variations) });
  };
  return (
    <div className={styles.part}>
      <div className={styles.line}>
        <span className={styles.strong}>{t.editor.serve}</span>
        <SegmentedControl
          label={t.editor.serve}
          value={shares === undefined ? 'one' : 'split'}
          choices={[
            { id: 'one', label: t.editor.one },
            { id: 'split', label: t.editor.split },
          ]}
          onChange={choose}
        />
        {shares !== undefined && <span className={styles.same}>{t.editor.same}</span>}
      </div>
      {shares === undefined ? (
        <Select
          label={t.editor.variation}
          isLabelHidden
          options={variations.map((id) => ({ id, label: names.variation(id) }))}
          value={variation}
          onChange={(next) => onChange({ variation: next })}
        />
      ) : (
        <ShareEditor
          shares={withEveryVariation(shares, variations)}
          before={before?.shares}
          names={names}
          onChange={(next) => onChange({ shares: next })}
        />
      )}
    </div>
  );
}
