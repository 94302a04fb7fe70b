import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './diff.module.css';
import { Icon } from './icon.tsx';
import { t } from './messages.ts';

/** One difference in words. Features turn the API's `changes` into these. */
export interface DiffLine {
  readonly id: string;
  /** What differs: "Rule 2, country is one of". */
  readonly what: string;
  readonly from?: ReactNode;
  readonly to?: ReactNode;
  /** A sentence in the place of both, when old and new say nothing. */
  readonly words?: ReactNode;
}

/** Old struck through, new marked, each with a sign. `end` puts something at the end of a line, such as Undo. */
export function Diff(props: {
  readonly lines: readonly DiffLine[];
  readonly end?: (line: DiffLine) => ReactNode;
  /** True leaves out signs and lines, inside of a sentence or a list. */
  readonly isPlain?: boolean;
}) {
  const { lines, end, isPlain } = props;
  return (
    <ul className={classes(styles.diff, isPlain && styles.plain)}>
      {lines.map((line) => (
        <li key={line.id} className={styles.row}>
          {!isPlain && <Sign line={line} />}
          <span className={styles.what}>{line.what}</span>
          <span className={styles.words}>
            <DiffWords line={line} />
          </span>
          {end?.(line)}
        </li>
      ))}
    </ul>
  );
}

/** The difference as old and new. */
export function DiffWords({ line: { from, to, words } }: { readonly line: DiffLine }) {
  if (words !== undefined) return words;
  return (
    <>
      {from !== undefined && <del>{from}</del>}
      {from !== undefined && to !== undefined && <span className={styles.to}> {t.to} </span>}
      {to !== undefined && <ins>{to}</ins>}
    </>
  );
}

function Sign({ line: { from, to } }: { readonly line: DiffLine }) {
  if (from === undefined && to !== undefined) return <Icon name="plus" className={styles.added} />;
  if (from !== undefined && to === undefined) return <Icon name="trash" className={styles.removed} />;
  return <Icon name="pencil" />;
}

/** A value of the API as a short text: lists joined, objects as JSON, nothing as "empty". */
export function valueWords(value: unknown): string {
  if (value === null || value === undefined || value === '') return t.empty;
  if (Array.isArray(value)) return value.length === 0 ? t.empty : value.map(valueWords).join(', ');
  if (value === true) return t.on;
  if (value === false) return t.off;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `targeting_rules.2.conditions` is `Targeting rules 3, conditions`: fields of the API as words. */
export function fieldWords(path: string): string {
  const words = path
    .split('.')
    .map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : part.replaceAll('_', ' ')));
  const last = words.length - 1;
  // The page shows the name of what an id stands for.
  words[last] = words[last]!.replace(/ ids?$/, '');
  const text = words.reduce((line, word) => (/^\d+$/.test(word) ? `${line} ${word}` : `${line}, ${word}`));
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The API's `changes` as lines, one for each field. `words` puts fields and values that a feature knows better. */
export function linesOf(
  changes: Readonly<Record<string, { readonly from?: unknown; readonly to?: unknown }>>,
  words: (field: string, value: unknown) => ReactNode = (_, value) => valueWords(value),
): readonly DiffLine[] {
  return Object.entries(changes).map(([field, change]) => {
    const [from, to] = [change.from, change.to].map((value) =>
      value === null || value === undefined ? t.empty : words(field, value),
    );
    return {
      id: field,
      what: fieldWords(field),
      // What was empty needs no line through it. One of two empty sides is shown.
      ...(from !== t.empty && { from }),
      ...((to !== t.empty || from === t.empty) && { to }),
    };
  });
}
