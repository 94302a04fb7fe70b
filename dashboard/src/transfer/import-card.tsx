import { useState } from 'react';
import { useScope } from '../app/scope/use-scope.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { Card, Notice, ProgressBar } from '../ui/surface.tsx';
import { EMPTY_DRAFT, type ImportDraft, type ImportRecord } from './import-draft.ts';
import { ImportFields } from './import-fields.tsx';
import { t } from './messages.ts';
import { PlanView } from './plan-view.tsx';
import { countOf, useImport, useOpenGlass } from './use-import.ts';

const words = t.import;

/** From a file to a plan, and from the plan to the project. What was chosen stays until the import has ended. */
export function ImportCard({ canEdit }: { readonly canEdit: boolean }) {
  const [draft, setDraft] = useState<ImportDraft>(EMPTY_DRAFT);
  const glass = useOpenGlass();
  const { plan, ended, problem, doing, check, apply, forget } = useImport(glass);
  const change = (part: Partial<ImportDraft>): void => {
    setDraft((old) => ({ ...old, ...part }));
    forget();
  };
  const again = (): void => {
    setDraft(EMPTY_DRAFT);
    forget();
  };
  return (
    <Card title={words.title}>
      <Stack>
        <p>{words.intro}</p>
        {!canEdit ? (
          <Note tone="faint">{words.onlyEditors}</Note>
        ) : doing === 'applying' ? (
          <ProgressBar label={t.running} note={t.runningNote} />
        ) : ended !== undefined ? (
          <Outcome record={ended} onAgain={again} onCheck={() => check(draft)} />
        ) : (
          <>
            <ImportFields
              draft={draft}
              onChange={change}
              onCheck={() => check(draft)}
              isChecking={doing === 'checking'}
            />
            {problem &&
              (problem.code === 'PLAN_STALE' ? (
                <Notice
                  tone="warn"
                  title={t.plan.stale}
                  isUrgent
                  actions={
                    <Button isSmall onPress={() => check(draft)}>
                      {t.plan.checkAgain}
                    </Button>
                  }
                />
              ) : (
                <ErrorState problem={problem} />
              ))}
            {plan && problem?.code !== 'PLAN_STALE' && (
              <PlanView
                plan={plan}
                hasGlass={glass !== undefined}
                onApply={(id) => apply(id, draft)}
                onCheck={() => check(draft)}
                onCancel={forget}
              />
            )}
          </>
        )}
      </Stack>
    </Card>
  );
}

function Outcome(props: {
  readonly record: ImportRecord;
  readonly onAgain: () => void;
  readonly onCheck: () => void;
}) {
  const { record, onAgain, onCheck } = props;
  const { hrefTo } = useScope();
  if (record.status === 'failed')
    return (
      <Notice
        tone="bad"
        title={t.failed.title}
        isUrgent
        actions={
          <Button isSmall onPress={onCheck}>
            {t.plan.checkAgain}
          </Button>
        }
      >
        {record.error?.message}
      </Notice>
    );
  return (
    <Notice
      tone="good"
      title={t.done.title(countOf(record))}
      isUrgent
      actions={
        <>
          <ButtonLink isSmall href={hrefTo('changes')}>
            {t.done.changes}
          </ButtonLink>
          <Button isSmall onPress={onAgain}>
            {t.done.again}
          </Button>
        </>
      }
    >
      {t.done.text}
    </Notice>
  );
}
