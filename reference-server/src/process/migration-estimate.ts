/** Rows a second that a migration goes through, from a slow disk's point of view. */
const ROWS_PER_SECOND = 200_000;

/** Statements that go through all rows of a table. Adding a column or a table does not. */
const PASSES: readonly RegExp[] = [
  /^\s*update\s+(?:only\s+)?"?(\w+)/i,
  /^\s*delete\s+from\s+"?(\w+)/i,
  /^\s*insert\s+into\b[\s\S]*?\bfrom\s+"?(\w+)/i,
  /^\s*create\s+(?:unique\s+)?index\b[\s\S]*?\bon\s+"?(\w+)/i,
  /^\s*alter\s+table\s+"?(\w+)"?\s+(?:add\s+(?:constraint|primary|check|unique|foreign)|alter\s+column|drop\s+constraint)/i,
];

/** The tables whose rows the statements go through, each once. */
export function readTables(statements: readonly string[]): readonly string[] {
  const found = statements.flatMap((statement) => {
    const match = PASSES.map((pass) => pass.exec(statement)?.[1]).find((name) => name !== undefined);
    return match === undefined ? [] : [match];
  });
  return [...new Set(found)];
}

export const estimateSeconds = (rows: number): number => rows / ROWS_PER_SECOND;
