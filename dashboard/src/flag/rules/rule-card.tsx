import { type HTMLAttributes, lazy, Suspense } from 'react';
import type { Warning } from '../../api/types.ts';
import type { Choices } from '../../app/conditions/condition-editor.tsx';
import { conditionWords } from '../../app/conditions/condition-words.ts';
import { formatAnd } from '../../i18n/format-number.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { t } from '../messages.ts';
import type { Rule } from './config.ts';
import { type Names, RuleSentence } from './rule-sentence.tsx';
import styles from './rules.module.css';

const RuleEditor = lazy(async () => ({ default: (await import('./rule-editor.tsx')).RuleEditor }));

/** What can be done with one rule. */
export interface RuleActions {
  readonly change: (change: Partial<Omit<Rule, 'id'>>) => void;
  readonly moveTo: (place: number) => void;
  readonly duplicate: () => void;
  readonly remove: () => void;
  readonly toggle: () => void;
}

export interface RuleCardProps {
  readonly rule: Rule;
  readonly before: Rule | undefined;
  readonly place: number;
  readonly count: number;
  readonly marks: readonly ('added' | 'edited' | 'moved')[];
  readonly warning: Warning | undefined;
  /** The place of the rule that takes everyone, when a warning names it. */
  readonly shadowedBy: number | undefined;
  readonly names: Names;
  readonly variations: readonly string[];
  readonly choices: Choices;
  readonly isOpen: boolean;
  /** Undefined: the person may only look. */
  readonly actions: RuleActions | undefined;
  readonly handle: HTMLAttributes<HTMLElement>;
  readonly isDragged: boolean;
  readonly drop: 'before' | 'after' | undefined;
}

/** A rule as a sentence, with its editor when it is open. */
export function RuleCard(props: RuleCardProps) {
  const { rule, before, place, marks, warning, names, isOpen, actions, handle } = props;
  const title = t.rules.named(place + 1, rule.name);
  return (
    <li
      className={classes(styles.rule, isOpen && styles.open, warning && styles.dead)}
      data-dragged={props.isDragged || undefined}
      data-drop={props.drop}
    >
      <div className={styles.row}>
        {actions ? (
          <button type="button" className={styles.grip} aria-label={t.rules.move(title)} {...handle}>
            <Icon name="grip" />
          </button>
        ) : (
          <span />
        )}
        <span className={styles.number}>{place + 1}</span>
        <div className={styles.text}>
          <h3 className={styles.name}>
            {rule.name || (rule.conditions.length === 0 ? t.rules.everyone : t.rules.rule(place + 1))}
            {marks.map((mark) => (
              <Badge key={mark} tone={mark === 'added' ? 'good' : 'info'}>
                {t.rules[mark]}
              </Badge>
            ))}
          </h3>
          <RuleSentence rule={rule} names={names} />
        </div>
        {actions && <RuleButtons {...props} actions={actions} title={title} />}
      </div>
      {warning && <DeadEnd {...props} warning={warning} />}
      {isOpen && actions && (
        <Suspense>
          <RuleEditor
            rule={rule}
            before={before}
            variations={props.variations}
            names={names}
            choices={props.choices}
            onChange={actions.change}
            onClose={actions.toggle}
          />
        </Suspense>
      )}
    </li>
  );
}

function RuleButtons(props: RuleCardProps & { readonly actions: RuleActions; readonly title: string }) {
  const { place, count, isOpen, actions, title } = props;
  return (
    <div className={styles.actions}>
      <IconButton
        icon={isOpen ? 'up' : 'pencil'}
        label={isOpen ? t.rules.close(title) : t.rules.edit(title)}
        isSmall
        onPress={actions.toggle}
      />
      <Menu
        label={t.rules.more(title)}
        groups={[
          {
            entries: [
              {
                id: 'up',
                label: t.rules.up,
                icon: 'up',
                isDisabled: place === 0,
                run: () => actions.moveTo(place - 1),
              },
              {
                id: 'down',
                label: t.rules.down,
                icon: 'down',
                isDisabled: place === count - 1,
                run: () => actions.moveTo(place + 1),
              },
              {
                id: 'top',
                label: t.rules.top,
                icon: 'arrow-up',
                isDisabled: place === 0,
                run: () => actions.moveTo(0),
              },
              { id: 'copy', label: t.rules.duplicate, icon: 'copy', run: actions.duplicate },
            ],
          },
          {
            entries: [
              { id: 'remove', label: t.rules.remove, icon: 'trash', isDanger: true, run: actions.remove },
            ],
          },
        ]}
      >
        <IconButton icon="dots" label={t.rules.more(title)} isSmall />
      </Menu>
    </div>
  );
}

/** Why a rule decides for nobody, with the two ways out. */
function DeadEnd(props: RuleCardProps & { readonly warning: Warning }) {
  const { shadowedBy, actions } = props;
  const shadow = shadowedBy === undefined ? undefined : t.rules.rule(shadowedBy + 1);
  return (
    <div className={styles.warning}>
      <Icon name="warn" />
      <p>
        <b>{t.rules.warning}</b> {shadow === undefined ? neverWords(props) : t.rules.shadowed(shadow)}{' '}
        {actions && (
          <>
            {shadow !== undefined && (
              <>
                <Button kind="text" onPress={() => actions.moveTo(shadowedBy!)}>
                  {t.rules.moveAbove(shadow)}
                </Button>{' '}
                {t.rules.or}{' '}
              </>
            )}
            <Button kind="text" onPress={actions.remove}>
              {t.rules.removeIt}
            </Button>
          </>
        )}
      </p>
    </div>
  );
}

/** "Its conditions exclude each other: country is NL, country is BE." */
function neverWords({ rule, warning, names }: RuleCardProps): string {
  const places = warning?.details['conditions'];
  if (!Array.isArray(places)) return warning?.message ?? '';
  const found = places.flatMap((at: unknown) => rule.conditions[Number(at)] ?? []);
  const conditions = found.map((one) => {
    const { subject, verb, object } = conditionWords(one, names.segment);
    return `${subject} ${verb} ${object}`;
  });
  return conditions.length === 1
    ? t.rules.matchesNobody(conditions[0]!)
    : t.rules.excludes(formatAnd(conditions));
}
