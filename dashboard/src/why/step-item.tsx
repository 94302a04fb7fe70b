import type { ReactNode } from 'react';
import type { Environment } from '../api/types.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { VariationChip } from '../ui/badge.tsx';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import type { Step, StepState } from './account.ts';
import { ruleName } from './answer-words.ts';
import { t } from './messages.ts';
import type { Names, RuleFacts } from './names.ts';
import { SplitBar } from './split-bar.tsx';
import { TestList } from './test-list.tsx';
import styles from './why.module.css';

interface StepProps {
  readonly step: Step;
  readonly names: Names;
  readonly environment: Environment;
  readonly isOff: boolean;
  /** The same rule before the edit. */
  readonly before: RuleFacts | undefined;
  readonly isEdited: boolean;
}

/** One step of an answer, with what it found and whether it decided. */
export function StepItem(props: StepProps) {
  const { step, names } = props;
  switch (step.kind) {
    case 'switch':
      return (
        <Item state={step.state}>
          <b>{step.state === 'passed' ? t.step.on : step.isArchived ? t.step.archived : t.step.off}</b>{' '}
          {t.step.inEnvironment(props.environment.name)}
        </Item>
      );
    case 'needs':
      return <NeedsStep step={step} names={names} environment={props.environment} />;
    case 'rule':
      return <RuleStep {...props} step={step} />;
    default:
      return (
        <Item state={step.state}>
          <b>{t.step.otherwise}</b>
          {step.state === 'skipped' ? (
            ` ${t.step.notReached}`
          ) : (
            <p>
              {t.step.serve}{' '}
              <VariationChip series={names.series(step.variation)}>
                {names.variation(step.variation)}
              </VariationChip>
            </p>
          )}
        </Item>
      );
  }
}

function NeedsStep(props: {
  readonly step: Extract<Step, { kind: 'needs' }>;
  readonly names: Names;
  readonly environment: Environment;
}) {
  const { step, names, environment } = props;
  const { hrefTo } = useScope();
  const { flagKey, variation, result, state } = step;
  return (
    <Item state={state}>
      <b>{t.step.needs}</b>{' '}
      <Link href={hrefTo('why', { flag: flagKey, environment: environment.key })}>{names.flag(flagKey)}</Link>{' '}
      {t.step.mustServe} <b>{variation}</b>
      {result !== undefined && state === 'failed' && (
        <p className={styles.muted}>
          {result.variation_key === null
            ? t.step.noSuchFlag
            : t.step.serves(result.variation_key, t.reasons[result.reason])}
        </p>
      )}
    </Item>
  );
}

function RuleStep({
  step,
  names,
  before,
  isEdited,
  isOff,
}: StepProps & { readonly step: Extract<Step, { kind: 'rule' }> }) {
  const { state, tests, split, serves } = step;
  if (state === 'skipped')
    return (
      <Item state={state}>
        {ruleName(step, names)}. {isOff ? t.step.notAsked : t.step.notReached}
      </Item>
    );
  return (
    <Item state={state}>
      <b>{ruleName(step, names)}</b>
      {tests.length === 0 ? (
        <p className={styles.muted}>{t.step.everyone}</p>
      ) : (
        <TestList tests={tests} names={names} before={isEdited ? (before?.conditions ?? []) : undefined} />
      )}
      {state === 'here' && serves !== undefined && (
        <p className={styles.served}>
          {t.step.serve}{' '}
          <VariationChip series={names.series(serves)}>{names.variation(serves)}</VariationChip>
        </p>
      )}
      {split && <SplitBar split={split} names={names} />}
    </Item>
  );
}

/** A step with its mark: a tick, a cross, or a ring for one that was not reached. */
function Item({ state, children }: { readonly state: StepState; readonly children: ReactNode }) {
  const isYes = state === 'passed' || state === 'here';
  return (
    <li
      className={classes(state === 'here' && styles.here, state === 'skipped' && styles.skipped)}
      {...(state === 'here' && { 'aria-current': 'step' as const })}
    >
      <span className={classes(styles.mark, isYes && styles.markYes)}>
        {state !== 'skipped' && <Icon name={isYes ? 'check' : 'close'} />}
      </span>
      <div>
        <span className={styles.sr}>{t.step.states[state]} </span>
        {children}
      </div>
    </li>
  );
}
