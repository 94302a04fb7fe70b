import type { Flag } from '../../api/types.ts';
import { SegmentedControl } from '../../ui/choice.tsx';
import { Line, Note, Stack } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import { t as page } from '../messages.ts';
import { configOf, type Rule } from '../rules/config.ts';
import type { Instruction } from '../rules/instructions.ts';
import type { Names } from '../rules/rule-sentence.tsx';
import { ShareEditor } from '../rules/share-editor.tsx';
import { withEveryVariation, withoutEmpty } from '../rules/shares.ts';
import { t } from './messages.ts';

/** A switch, or a split of one rule, as instructions. */
export function WhatField(props: {
  readonly flag: Flag;
  readonly names: Names;
  readonly changes: readonly Instruction[];
  readonly onChange: (changes: readonly Instruction[]) => void;
}) {
  const { flag, names, changes, onChange } = props;
  const rules = configOf(flag).rules;
  const [first] = changes;
  const isStep = first?.op === 'set_rollout';
  const splits = rules.filter(({ shares }) => shares !== undefined);
  const turn = [{ op: 'set_enabled' as const, enabled: !flag.enabled }];
  return (
    <Stack>
      <Line>
        <Note isStrong>{t.dialog.what}</Note>
        <SegmentedControl
          label={t.dialog.what}
          value={isStep ? 'step' : 'switch'}
          choices={[
            { id: 'switch', label: flag.enabled ? t.dialog.turnOff : t.dialog.turnOn },
            { id: 'step', label: t.dialog.step, isDisabled: splits.length === 0 },
          ]}
          onChange={(kind) => onChange(kind === 'switch' ? turn : [stepOf(splits[0]!, splits[0]!.shares!)])}
        />
      </Line>
      {splits.length === 0 && (
        <Note tone="muted" isSmall>
          {t.dialog.noSplit}
        </Note>
      )}
      {isStep && (
        <SplitStep
          flag={flag}
          rules={rules}
          names={names}
          step={first}
          onChange={(step) => onChange([step])}
        />
      )}
    </Stack>
  );
}

function SplitStep(props: {
  readonly flag: Flag;
  readonly rules: readonly Rule[];
  readonly names: Names;
  readonly step: Instruction;
  readonly onChange: (step: Instruction) => void;
}) {
  const { flag, rules, names, step, onChange } = props;
  const before = rules.find(({ id }) => id === step.rule_id);
  const splits = rules.filter(({ shares }) => shares !== undefined);
  const variations = flag.variations.map(({ key }) => key);
  const shares = withEveryVariation(step.percentage_rollout ?? [], variations);
  return (
    <Stack gap="close">
      {splits.length > 1 && (
        <Select
          label={t.dialog.rule}
          options={splits.map(({ id, name }) => ({ id, label: page.rules.named(placeOf(rules, id), name) }))}
          value={step.rule_id}
          onChange={(id) => {
            const rule = splits.find((one) => one.id === id)!;
            onChange(stepOf(rule, rule.shares!));
          }}
        />
      )}
      <ShareEditor
        shares={shares}
        before={before?.shares}
        names={names}
        onChange={(next) => onChange({ ...step, percentage_rollout: [...withoutEmpty(next)] })}
      />
    </Stack>
  );
}

const placeOf = (rules: readonly Rule[], id: string): number => rules.findIndex((rule) => rule.id === id) + 1;

const stepOf = ({ id }: Rule, shares: NonNullable<Rule['shares']>): Instruction => ({
  op: 'set_rollout',
  rule_id: id,
  percentage_rollout: [...withoutEmpty(shares)],
});
