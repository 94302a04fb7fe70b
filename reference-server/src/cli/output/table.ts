/** One column of a table: its head, and what it shows of a row. */
export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => unknown;
  readonly align?: 'right';
}

const GAP = '  ';

/** Rows under heads, as wide as they need to be. */
export function renderTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const cells = [
    columns.map(({ head }) => head),
    ...rows.map((row) => columns.map(({ cell }) => cellText(cell(row)))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => widthOf(line[index]!))));
  const lines = cells.map((line) =>
    line
      .map((text, index) => {
        const blank = ' '.repeat(widths[index]! - widthOf(text));
        return columns[index]!.align === 'right' ? blank + text : text + blank;
      })
      .join(GAP)
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** Names and what they stand for, one a line. */
export function renderFields(fields: readonly (readonly [name: string, value: unknown])[]): string {
  const width = Math.max(...fields.map(([name]) => widthOf(name)));
  return fields.map(([name, value]) => `${name.padEnd(width)}${GAP}${cellText(value)}\n`).join('');
}

/** One line that does nothing to a terminal: names and comments are written by others. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === '\n' || character === '\t' ? ' ' : '\ufffd',
  );
}

/** A warning with what to do about it. */
export function warningText({
  message,
  remedy,
}: {
  readonly message: string;
  readonly remedy: string;
}): string {
  return `Warning: ${cellText(message)}\n  ${cellText(remedy)}\n`;
}

function widthOf(text: string): number {
  return [...text].length;
}
