import { bold, foldText, widthOf } from './plain-text.ts';

/** A column: its head and the cell for a row. */
export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => unknown;
  readonly align?: 'right';
}

const GAP = '  ';

/** A column that is folded keeps at least this width. */
const FOLDED_MIN = 12;

/**
 * A table whose columns fit their widest cell. With `columns`, the width of the terminal, it folds the widest cells
 * so that the lines fit.
 */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  terminalColumns?: number,
): string {
  const cells = [
    columns.map(({ head }) => head),
    ...rows.map((row) => columns.map(({ cell }) => cellText(cell(row)))),
  ];
  const natural = columns.map((_, index) => Math.max(...cells.map((line) => widthOf(line[index]!))));
  const widths = terminalColumns === undefined ? natural : shrink(natural, terminalColumns);
  const lineOf = (texts: readonly string[]): string =>
    texts
      .map((text, index) => {
        const blank = ' '.repeat(Math.max(0, widths[index]! - widthOf(text)));
        return columns[index]!.align === 'right' ? blank + text : text + blank;
      })
      .join(GAP)
      .trimEnd();
  const lines = cells.flatMap((texts) => {
    const folded = texts.map((text, index) =>
      widths[index] === natural[index] ? [text] : foldText(text, widths[index]!),
    );
    const height = Math.max(...folded.map((parts) => parts.length));
    return Array.from({ length: height }, (_, at) => lineOf(folded.map((parts) => parts[at] ?? '')));
  });
  return `${[bold(lines[0]!), ...lines.slice(1)].join('\n')}\n`;
}

/** Narrows the widest columns until the table fits, or until no column may become narrower. */
function shrink(natural: readonly number[], available: number): readonly number[] {
  const widths = [...natural];
  const total = (): number => widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  while (total() > available) {
    const widest = Math.max(...widths);
    if (widest <= FOLDED_MIN) break;
    widths[widths.lastIndexOf(widest)] = widest - 1;
  }
  return widths;
}

/** One line per field: name and value. */
export function renderFields(fields: readonly (readonly [name: string, value: unknown])[]): string {
  const width = Math.max(...fields.map(([name]) => widthOf(name)));
  return fields
    .map(([name, value]) => `${name}${' '.repeat(width - widthOf(name))}${GAP}${cellText(value)}\n`)
    .join('');
}

/**
 * A value as one line without control characters, because other people wrote it and escape codes could act on the
 * terminal.
 */
export function cellText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === '\n' || character === '\t' ? ' ' : '\ufffd',
  );
}

/** A warning and its remedy. */
export function warningText({
  message,
  remedy,
}: {
  readonly message: string;
  readonly remedy: string;
}): string {
  return `Warning: ${cellText(message)}\n  ${cellText(remedy)}\n`;
}
