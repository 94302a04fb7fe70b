import { Button } from '../../ui/button.tsx';
import { Stack } from '../../ui/layout.tsx';
import { type Condition, NEW_CONDITION } from './condition.ts';
import { type Choices, ConditionEditor } from './condition-editor.tsx';
import { t } from './messages.ts';

/** The fields of all conditions of a rule or segment, with one button that adds another. */
export function ConditionList(props: {
  readonly conditions: readonly Condition[];
  /** The conditions as they are saved. */
  readonly before?: readonly Condition[] | undefined;
  readonly choices: Choices;
  readonly onChange: (conditions: readonly Condition[]) => void;
}) {
  const { conditions, before, choices, onChange } = props;
  return (
    <Stack gap="close">
      {conditions.map((condition, index) => (
        <ConditionEditor
          // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no name; its fields follow its values.
          key={`${index} ${conditions.length}`}
          condition={condition}
          number={index + 1}
          choices={choices}
          before={before?.[index]}
          onChange={(next) => onChange(conditions.with(index, next))}
          onRemove={() => onChange(conditions.toSpliced(index, 1))}
        />
      ))}
      <div>
        <Button kind="quiet" isSmall icon="plus" onPress={() => onChange([...conditions, NEW_CONDITION])}>
          {t.add}
        </Button>
      </div>
    </Stack>
  );
}
