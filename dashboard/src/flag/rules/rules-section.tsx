import { useState } from 'react';
import type { Warning } from '../../api/types.ts';
import { NEW_CONDITION } from '../../app/conditions/condition.ts';
import type { Choices } from '../../app/conditions/condition-editor.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/surface.tsx';
import { useReorder } from '../../ui/use-reorder.ts';
import { CompareButton } from '../compare/compare-button.tsx';
import { t } from '../messages.ts';
import type { Place } from '../use-flag.ts';
import { addRule, type Config, editRule, isNew, moveRule, newId, type Rule, removeRule } from './config.ts';
import { DefaultCard } from './default-card.tsx';
import type { Difference } from './differences.ts';
import { type RuleActions, RuleCard } from './rule-card.tsx';
import { type Names, Variation } from './rule-sentence.tsx';
import styles from './rules.module.css';
import type { Edit } from './use-edit.ts';

/** The rules of one environment in their order, and what everyone else gets. */
export function RulesSection(props: {
  readonly place: Place;
  readonly edit: Edit;
  readonly names: Names;
  readonly choices: Choices;
  readonly warnings: readonly Warning[];
  /** False for people who may only look. */
  readonly canEdit: boolean;
}) {
  const { place, edit, names, choices, warnings, canEdit } = props;
  const { environment, flag } = place;
  const { config } = edit;
  const [openId, setOpen] = useState<string>();
  const [announcement, announce] = useState('');
  const ids = config.rules.map(({ id }) => id);
  const move = (id: string, to: number) => {
    edit.change(moveRule(config, id, to));
    announce(t.rules.movedTo(to + 1, ids.length));
  };
  const reorder = useReorder(ids, move);
  const variations = flag.variations.map(({ key }) => key);
  const add = () => {
    const rule = emptyRule(variations[0] ?? config.fallback);
    edit.change(addRule(config, rule));
    setOpen(rule.id);
  };
  const actionsOf = (rule: Rule, index: number): RuleActions => ({
    change: (change) => edit.change(editRule(config, rule.id, change)),
    moveTo: (to) => move(rule.id, to),
    duplicate: () => {
      const { units: _, ...shared } = rule;
      const copy = { ...shared, id: newId(), name: t.rules.copyOf(rule.name) };
      edit.change(addRule(config, copy, index + 1));
      setOpen(copy.id);
    },
    remove: () => edit.change(removeRule(config, rule.id)),
    toggle: () => setOpen(openId === rule.id ? undefined : rule.id),
  });
  return (
    <section aria-labelledby="rules">
      <Head place={place} fallback={config.fallback} names={names} />
      <ol className={styles.rules} ref={reorder.list} aria-label={t.rules.label(environment.name)}>
        {config.rules.map((rule, index) => {
          const warning = warningOf(warnings, rule, index);
          return (
            <RuleCard
              key={rule.id}
              rule={rule}
              before={edit.base.rules.find(({ id }) => id === rule.id)}
              place={index}
              count={ids.length}
              marks={marksOf(edit.differences, rule)}
              warning={warning}
              shadowedBy={shadowOf(warning, config)}
              names={names}
              variations={variations}
              choices={choices}
              isOpen={canEdit && openId === rule.id}
              actions={canEdit ? actionsOf(rule, index) : undefined}
              handle={reorder.handleOf(rule.id)}
              isDragged={reorder.dragged === rule.id}
              drop={reorder.markOf(index)}
            />
          );
        })}
        <DefaultCard
          config={config}
          variations={variations}
          names={names}
          isEdited={edit.differences.some(({ kind }) => kind === 'default')}
          {...(canEdit && { onChange: (fallback: string) => edit.change({ ...config, fallback }) })}
        />
      </ol>
      <span className={styles.quiet} role="status">
        {announcement}
      </span>
      {canEdit && <AddRule isFirst={config.rules.length === 0} onAdd={add} />}
    </section>
  );
}

function Head(props: { readonly place: Place; readonly fallback: string; readonly names: Names }) {
  const { place, fallback, names } = props;
  const { environment, flag } = place;
  return (
    <>
      <div className={styles.head}>
        <h2 id="rules">{t.rules.title(environment.name)}</h2>
        <span className={styles.faint}>{t.rules.first}</span>
        <span className={styles.push}>
          <CompareButton place={place} names={names} />
        </span>
      </div>
      {!flag.enabled && (
        <p className={styles.offNote}>
          <b>{t.rules.offTitle(environment.name)}.</b> {t.rules.offText}{' '}
          <Variation name={fallback} names={names} />
        </p>
      )}
    </>
  );
}

function AddRule({ isFirst, onAdd }: { readonly isFirst: boolean; readonly onAdd: () => void }) {
  const button = (
    <Button isSmall={!isFirst} icon="plus" onPress={onAdd}>
      {t.rules.add}
    </Button>
  );
  if (!isFirst) return <div className={styles.add}>{button}</div>;
  return (
    <EmptyState icon="list" title={t.rules.empty} actions={button}>
      {t.rules.emptyText}
    </EmptyState>
  );
}

function emptyRule(variation: string): Rule {
  return {
    id: newId(),
    name: '',
    conditions: [NEW_CONDITION],
    variation,
    shares: undefined,
  };
}

function marksOf(differences: readonly Difference[], rule: Rule): readonly ('added' | 'edited' | 'moved')[] {
  if (isNew(rule)) return ['added'];
  const kinds = new Set(differences.filter(({ id }) => id.startsWith(`${rule.id} `)).map(({ kind }) => kind));
  const isEdited = kinds.has('name') || kinds.has('conditions') || kinds.has('serves');
  return [...(isEdited ? (['edited'] as const) : []), ...(kinds.has('moved') ? (['moved'] as const) : [])];
}

/** The warning that a rule decides for nobody. New rules have no id yet, so the place tells. */
function warningOf(warnings: readonly Warning[], rule: Rule, place: number): Warning | undefined {
  return warnings.find(
    ({ code, field, details }) =>
      (code === 'rule-unreachable' || code === 'rule-never-matches') &&
      (details['rule_id'] === rule.id || (isNew(rule) && field === `targeting_rules.${place}`)),
  );
}

function shadowOf(warning: Warning | undefined, config: Config): number | undefined {
  const at = config.rules.findIndex(({ id }) => id === warning?.details['shadowed_by']);
  return at === -1 ? undefined : at;
}
