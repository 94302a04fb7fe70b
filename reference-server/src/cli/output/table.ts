import { bold, foldText, widthOf } from './plain-text.ts';
import { isApiTime, shortTime } from './time-words.ts';

/** A column: its head and the cell for a row. */
export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => unknown;
  readonly align?: 'right';
  /** True if a terminal that is too narrow may leave the column out. */
  readonly isExtra?: boolean;
}

const GAP = '  ';

/** A column that is folded keeps at least this width. */
const FOLDED_MIN = 12;

/** Words up to this width stay whole, so that keys and ids can be copied. */
const WORD_MAX = 40;

/**
 * A table whose columns fit their widest cell. In a terminal that is too narrow, it leaves out extra columns, then folds
 * the widest cells at blanks. If that is not enough, it writes each row as a block.
 */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  terminalColumns?: number,
): string {
  const table = {
    columns,
    cells: [
      columns.map(({ head }) => head),
      ...rows.map((row) => columns.map(({ cell }) => cellText(cell(row)))),
    ],
  };
  if (terminalColumns === undefined) return renderCells(table, naturalWidths(table));
  let shown: Cells = table;
  while (totalOf(naturalWidths(shown)) > terminalColumns) {
    const less = withoutExtra(shown);
    if (less === undefined) break;
    shown = less;
  }
  const widths = shrink(shown, terminalColumns);
  return widths === undefined ? renderBlocks(table, terminalColumns) : renderCells(shown, widths);
}

interface Cells {
  readonly columns: readonly Pick<Column<never>, 'align' | 'isExtra'>[];
  /** The heads, then a line per row. */
  readonly cells: readonly (readonly string[])[];
}

function naturalWidths({ columns, cells }: Cells): readonly number[] {
  return columns.map((_, index) => Math.max(...cells.map((line) => widthOf(line[index]!))));
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
}

/** The table without its last extra column; undefined if it has none. */
function withoutExtra({ columns, cells }: Cells): Cells | undefined {
  const index = columns.map(({ isExtra }) => isExtra).lastIndexOf(true);
  if (index === -1) return undefined;
  const cut = <Item>(line: readonly Item[]): readonly Item[] => line.filter((_, at) => at !== index);
  return { columns: cut(columns), cells: cells.map(cut) };
}

function renderCells({ columns, cells }: Cells, widths: readonly number[]): string {
  const lineOf = (texts: readonly string[]): string =>
    texts
      .map((text, index) => {
        const blank = ' '.repeat(Math.max(0, widths[index]! - widthOf(text)));
        return columns[index]!.align === 'right' ? blank + text : text + blank;
      })
      .join(GAP)
      .trimEnd();
  const lines = cells.flatMap((texts) => {
    const folded = texts.map((text, index) => foldText(text, widths[index]!));
    const height = Math.max(...folded.map((parts) => parts.length));
    return Array.from({ length: height }, (_, at) => lineOf(folded.map((parts) => parts[at] ?? '')));
  });
  return `${[bold(lines[0]!), ...lines.slice(1)].join('\n')}\n`;
}

/** Narrows the widest columns until the table fits; undefined if it cannot without breaking words. */
function shrink(table: Cells, available: number): readonly number[] | undefined {
  const widths = [...naturalWidths(table)];
  const least = table.columns.map((_, index) =>
    Math.max(...table.cells.map((line) => leastWidth(line[index]!))),
  );
  while (totalOf(widths) > available) {
    const room = widths.map((width, index) => (width > least[index]! ? width : 0));
    const widest = Math.max(...room);
    if (widest === 0) return undefined;
    widths[room.lastIndexOf(widest)] = widest - 1;
  }
  return widths;
}

/** The width that a cell needs to keep its words whole. */
function leastWidth(text: string): number {
  const width = widthOf(text);
  if (width <= FOLDED_MIN) return width;
  const words = text.split(' ').map(widthOf);
  return Math.max(FOLDED_MIN, ...words.filter((one) => one <= WORD_MAX));
}

/** Each row as a block of lines, its first cell on top. */
function renderBlocks({ cells: [heads, ...rows] }: Cells, width: number): string {
  const names = heads!.slice(1).map((head) => head.toLowerCase());
  const indent = Math.max(...names.map(widthOf)) + 2 * GAP.length;
  const blocks = rows.map(([first, ...cells]) => {
    const fields = cells.flatMap((text, index) =>
      text === '-'
        ? []
        : foldText(text, Math.max(FOLDED_MIN, width - indent)).map(
            (part, at) => `${(at === 0 ? GAP + names[index]! : '').padEnd(indent)}${part}\n`,
          ),
    );
    return `${foldText(first!, width).map(bold).join('\n')}\n${fields.join('')}`;
  });
  return blocks.join('\n');
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
 * terminal. Times of the API are shown to the minute.
 */
export function cellText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (isApiTime(text)) return shortTime(text);
  // The joiners of emoji and of Persian or Hindi words are harmless.
  return text.replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
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
