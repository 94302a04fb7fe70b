import type { Context } from '@flagsvc/sdk-core';
import { useMemo } from 'react';
import type { Environment, Flag } from '../api/types.ts';
import { useConditionChoices } from '../app/conditions/use-choices.ts';
import { useFlagDraft } from '../app/drafts/flag-draft.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Badge } from '../ui/badge.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { Card, EmptyState } from '../ui/surface.tsx';
import { type Account, accountOf } from './account.ts';
import { AnswerCard } from './answer-card.tsx';
import type { Evaluators } from './evaluators.ts';
import { t } from './messages.ts';
import { createNames, type Names, type RuleFacts } from './names.ts';
import { createSegmentReader } from './segment-tests.ts';
import { StepItem } from './step-item.tsx';
import styles from './why.module.css';

/** The answer of one flag as it is saved and, beside it, with the unsaved edit. */
export function Answers(props: {
  readonly flagKey: string | undefined;
  readonly flag: Flag | undefined;
  readonly environment: Environment;
  readonly context: Context;
  readonly evaluators: Evaluators;
  readonly nameOf: (key: string) => string;
}) {
  const { flagKey, flag, environment, context, evaluators, nameOf } = props;
  const { saved, edited } = evaluators;
  const { hrefTo } = useScope();
  const { segments } = useConditionChoices(NONE);
  const draft = useFlagDraft(flag?.id ?? '', environment.id).value;
  const reader = useMemo(() => createSegmentReader(saved.ruleset), [saved]);
  if (flagKey === undefined)
    return (
      <Card>
        <EmptyState icon="flag" title={t.noFlag}>
          {t.noFlagText}
        </EmptyState>
      </Card>
    );
  const account = accountOf(saved, flagKey, { context, segments: reader });
  if (account === undefined || flag === undefined)
    return <Missing flagKey={flagKey} flag={flag} environment={environment} />;
  const changed = edited && accountOf(edited, flagKey, { context, segments: reader });
  const shared = { environment, href: hrefTo(`flags/${flag.key}`, { rules: environment.key }) };
  const names = (rules: readonly RuleFacts[]) => createNames({ flag, rules, segments, nameOf });
  const savedNames = names(flag.targeting_rules);
  const editedNames = names(draft?.mine.rules ?? []);
  return (
    <div className={changed ? styles.answers : undefined}>
      <AnswerCard
        {...shared}
        title={t.saved}
        beside={<span className={styles.note}>{t.revision(flag.revision)}</span>}
        account={account}
        names={savedNames}
      >
        <Steps account={account} environment={environment} names={savedNames} before={undefined} />
      </AnswerCard>
      {changed && draft && (
        <AnswerCard
          {...shared}
          title={t.edited}
          beside={<Badge tone="info">{t.notSaved}</Badge>}
          account={changed}
          names={editedNames}
        >
          <Steps account={changed} environment={environment} names={editedNames} before={draft.base.rules} />
        </AnswerCard>
      )}
    </div>
  );
}

/** A flag that the ruleset does not have: a draft, or none at all. */
function Missing(props: {
  readonly flagKey: string;
  readonly flag: Flag | undefined;
  readonly environment: Environment;
}) {
  const { flagKey, flag, environment } = props;
  const { hrefTo } = useScope();
  return (
    <Card>
      <EmptyState
        icon="flag"
        title={flag === undefined ? t.missing(flagKey) : t.draft(flag.name)}
        actions={flag && <ButtonLink href={hrefTo(`flags/${flag.key}`)}>{t.openFlag(flag.name)}</ButtonLink>}
      >
        {flag === undefined ? t.missingText(environment.name) : t.draftText}
      </EmptyState>
    </Card>
  );
}

/** Each step of an answer. `before` has the rules before the edit, to mark what is new. */
function Steps(props: {
  readonly account: Account;
  readonly environment: Environment;
  readonly names: Names;
  readonly before: readonly RuleFacts[] | undefined;
}) {
  const { account, environment, names, before } = props;
  return account.steps.map((step, index) => (
    <StepItem
      // biome-ignore lint/suspicious/noArrayIndexKey: steps have an order and no state of their own.
      key={index}
      step={step}
      names={names}
      environment={environment}
      isOff={!account.flag.enabled}
      before={before?.find((rule) => step.kind === 'rule' && rule.id === step.id)}
      isEdited={before !== undefined}
    />
  ));
}

const NONE: readonly never[] = [];
