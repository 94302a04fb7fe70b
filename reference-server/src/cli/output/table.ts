/** A column: its head and the cell for a row. */
export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => unknown;
  readonly align?: 'right';
}

const GAP = '  ';

/** A table whose columns fit their widest cell. */
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

/** One line per field: name and value. */
export function renderFields(fields: readonly (readonly [name: string, value: unknown])[]): string {
  const width = Math.max(...fields.map(([name]) => widthOf(name)));
  return fields.map(([name, value]) => `${name.padEnd(width)}${GAP}${cellText(value)}\n`).join('');
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

function widthOf(text: string): number {
  return [...text].length;
}
