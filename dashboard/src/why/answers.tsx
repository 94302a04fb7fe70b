import type { Context } from '@flagsvc/sdk-core';
import { useMemo } from 'react';
import type { Environment, Flag } from '../api/types.ts';
import { useConditionChoices } from '../app/conditions/use-choices.ts';
import { useFlagDraft } from '../app/drafts/flag-draft.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Badge } from '../ui/badge.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { Card, EmptyState } from '../ui/surface.tsx';
import { accountOf } from './account.ts';
import { AnswerCard } from './answer-card.tsx';
import type { Evaluators } from './evaluators.ts';
import { t } from './messages.ts';
import { createNames, type RuleFacts } from './names.ts';
import { createSegmentReader } from './segment-tests.ts';
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
    return (
      <Card>
        <EmptyState
          icon="flag"
          title={flag === undefined ? t.missing(flagKey) : t.draft(flag.name)}
          actions={
            flag && <ButtonLink href={hrefTo(`flags/${flag.key}`)}>{t.openFlag(flag.name)}</ButtonLink>
          }
        >
          {flag === undefined ? t.missingText(environment.name) : t.draftText}
        </EmptyState>
      </Card>
    );
  const changed = edited && accountOf(edited, flagKey, { context, segments: reader });
  const names = (rules: readonly RuleFacts[]) => createNames({ flag, rules, segments, nameOf });
  const href = hrefTo(`flags/${flag.key}`, { rules: environment.key });
  return (
    <div className={changed ? styles.answers : undefined}>
      <AnswerCard
        title={t.saved}
        beside={<span className={styles.note}>{t.revision(flag.revision)}</span>}
        account={account}
        environment={environment}
        names={names(flag.targeting_rules)}
        before={undefined}
        href={href}
      />
      {changed && draft && (
        <AnswerCard
          title={t.edited}
          beside={<Badge tone="info">{t.notSaved}</Badge>}
          account={changed}
          environment={environment}
          names={names(draft.mine.rules)}
          before={draft.base.rules}
          href={href}
        />
      )}
    </div>
  );
}

const NONE: readonly never[] = [];
