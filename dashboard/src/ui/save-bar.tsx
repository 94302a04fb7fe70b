import { type ReactNode, useId, useState } from 'react';
import { Button } from './button.tsx';
import styles from './diff.module.css';
import { Diff, type DiffLine, DiffWords } from './diff.tsx';
import { t } from './messages.ts';
import { Card, Notice } from './surface.tsx';

/** The one place where a page is saved: how much changes, what exactly, undo of each, discard, save. */
export function SaveBar(props: {
  readonly lines: readonly DiffLine[];
  readonly onUndo?: (line: DiffLine) => void;
  readonly onSave: () => void;
  readonly onDiscard: () => void;
  readonly isSaving?: boolean;
  /** Why it cannot be saved now: a freeze, a field. */
  readonly whyNot?: string | undefined;
  /** Where it is saved, such as an EnvironmentBadge. */
  readonly place?: ReactNode;
  /** Another way to save, beside the button, such as "Schedule…". */
  readonly beside?: ReactNode;
  /** Above the buttons: a refusal, a comment field. */
  readonly children?: ReactNode;
  /** True when another person must approve. */
  readonly isSentForApproval?: boolean;
}) {
  const { lines, onUndo, onSave, onDiscard, isSaving, whyNot, place, beside, children } = props;
  const [isOpen, setOpen] = useState(() => window.matchMedia?.('(min-width: 48rem)').matches ?? true);
  if (props.isSentForApproval) return <Notice tone="good" title={t.sentForApproval} />;
  if (lines.length === 0) return null;
  return (
    <section className={styles.bar} aria-label={t.unsaved} data-save-bar>
      {isOpen && (
        <div className={styles.barDiff}>
          <Diff
            lines={lines}
            end={
              onUndo &&
              ((line) => (
                <Button kind="text" onPress={() => onUndo(line)} aria-label={`${t.undo}: ${line.what}`}>
                  {t.undo}
                </Button>
              ))
            }
          />
        </div>
      )}
      {children}
      <div className={styles.barRow}>
        <span className={styles.count}>{t.changes(lines.length)}</span>
        {place}
        <Button
          kind="quiet"
          isSmall
          icon={isOpen ? 'down' : 'up'}
          onPress={() => setOpen(!isOpen)}
          aria-pressed={isOpen}
        >
          {t.showChanges}
        </Button>
        <span className={styles.to}>{t.kept}</span>
        <span className={styles.push} />
        <Button onPress={onDiscard}>{t.discard}</Button>
        {beside}
        <Button kind="main" onPress={onSave} isPending={isSaving} whyNot={whyNot}>
          {t.save(lines.length)}
        </Button>
      </div>
    </section>
  );
}

/** One field of a conflict. With both sides, the person chooses. */
export interface ConflictField {
  readonly id: string;
  readonly what: string;
  readonly theirs?: DiffLine;
  readonly mine?: DiffLine;
}

/** Somebody saved in between: both versions, field by field, and a choice where both changed the same. */
export function ConflictView(props: {
  readonly who: string | undefined;
  readonly fields: readonly ConflictField[];
  /** Ids of the fields for which theirs was chosen. */
  readonly onSave: (theirs: ReadonlySet<string>) => void;
  readonly onTakeTheirs: () => void;
  readonly isSaving?: boolean;
}) {
  const { who = t.somebodyElse, fields, onSave, onTakeTheirs, isSaving } = props;
  const group = useId();
  const [theirs, setTheirs] = useState<ReadonlySet<string>>(new Set());
  const choose = (id: string, isTheirs: boolean): void => {
    const next = new Set(theirs);
    if (isTheirs) next.add(id);
    else next.delete(id);
    setTheirs(next);
  };
  return (
    <Card title={t.conflictTitle(who)} isFlush>
      <div className={styles.barRow}>{t.conflictIntro}</div>
      <table className={styles.merge}>
        <thead>
          <tr>
            <th scope="col">{t.field}</th>
            <th scope="col">{t.theirs(who)}</th>
            <th scope="col">{t.yours}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <tr key={field.id}>
              <th scope="row">{field.what}</th>
              {([true, false] as const).map((isTheirs) => (
                <td key={String(isTheirs)}>
                  <ConflictCell
                    field={field}
                    isTheirs={isTheirs}
                    name={`${group} ${field.id}`}
                    isChosen={theirs.has(field.id) === isTheirs}
                    onChoose={() => choose(field.id, isTheirs)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div className={styles.barRow}>
        <Button kind="main" onPress={() => onSave(theirs)} isPending={isSaving}>
          {t.saveChoices}
        </Button>
        <Button onPress={onTakeTheirs}>{t.takeTheirs(who)}</Button>
      </div>
    </Card>
  );
}

function ConflictCell(props: {
  readonly field: ConflictField;
  readonly isTheirs: boolean;
  /** Shared by both choices of the field. */
  readonly name: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const { field, isTheirs, name, isChosen, onChoose } = props;
  const id = useId();
  const line = isTheirs ? field.theirs : field.mine;
  if (line === undefined) return <span className={styles.to}>{t.unchanged}</span>;
  const isOpen = field.theirs !== undefined && field.mine !== undefined;
  if (!isOpen) return <DiffWords line={line} />;
  return (
    <span className={styles.choice}>
      <input type="radio" id={id} name={name} checked={isChosen} onChange={onChoose} />
      <label htmlFor={id}>
        <DiffWords line={line} />
      </label>
    </span>
  );
}
