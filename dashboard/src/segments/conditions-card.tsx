import { lazy, Suspense } from 'react';
import type { Condition } from '../app/conditions/condition.ts';
import { useConditionChoices } from '../app/conditions/use-choices.ts';
import { Note, Stack } from '../ui/layout.tsx';
import { Card, Skeleton } from '../ui/surface.tsx';
import { t } from './messages.ts';
import { sentenceOf } from './segment-words.ts';

const ConditionList = lazy(async () => ({
  default: (await import('../app/conditions/condition-list.tsx')).ConditionList,
}));

/** The conditions as one sentence, and as fields for people who may change them. */
export function ConditionsCard(props: {
  readonly conditions: readonly Condition[];
  readonly saved: readonly Condition[];
  readonly hasList: boolean;
  readonly canEdit: boolean;
  readonly onChange: (conditions: readonly Condition[]) => void;
}) {
  const { conditions, saved, hasList, canEdit, onChange } = props;
  const { attributes } = useConditionChoices(conditions);
  return (
    <Card title={t.conditions}>
      <Stack>
        {conditions.length === 0 ? (
          <Note tone="muted">{hasList ? t.noConditionsList : t.noConditions}</Note>
        ) : (
          <p>
            {sentenceOf(conditions, hasList)}. <Note tone="faint">{t.conditionsText}</Note>
          </p>
        )}
        {canEdit && (
          <Suspense fallback={<Skeleton lines={2} />}>
            <ConditionList
              conditions={conditions}
              before={saved}
              choices={{ attributes, segments: undefined }}
              onChange={onChange}
            />
          </Suspense>
        )}
      </Stack>
    </Card>
  );
}
