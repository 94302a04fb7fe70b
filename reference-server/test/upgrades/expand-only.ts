/** What a statement takes away from versions that do not know it, with the reason. */
const TAKES_AWAY: readonly (readonly [RegExp, string])[] = [
  [/\bdrop\s+(table|view|function|procedure|trigger)\b/, 'drops what older versions use'],
  [/\balter\s+table\s+\S+\s+drop\b(?!\s+(constraint|not\s+null))/, 'drops a column that older versions use'],
  [/\brename\s+(to|column|constraint)\b|\brename\s+\w+\s+to\b/, 'renames what older versions use'],
  [/\balter\s+(column\s+)?\w+\s+(set\s+data\s+)?type\b/, 'changes the type of a column'],
  [/\bset\s+not\s+null\b/, 'requires a value that older versions may not write'],
];

/** The reasons why older versions could fail after a migration; empty if it only adds. */
export function findTightening(statements: readonly string[]): readonly string[] {
  const created = new Set(
    statements.flatMap((statement) =>
      nameIn(/^\s*create\s+table\s+(?:if\s+not\s+exists\s+)?"?(\w+)/i, statement),
    ),
  );
  return statements.flatMap((original) => {
    const statement = original.toLowerCase();
    const [table] = nameIn(
      /^\s*(?:alter\s+table\s+|create\s+unique\s+index\s[\s\S]*?\son\s+)(?:only\s+)?"?(\w+)/,
      statement,
    );
    // Older versions do not know a table that the migration itself creates.
    if (table !== undefined && created.has(table)) return [];
    const found = TAKES_AWAY.filter(([pattern]) => pattern.test(statement)).map(([, reason]) => reason);
    if (/^\s*create\s+unique\s+index\b/.test(statement)) found.push('forbids rows that older versions write');
    if (/\balter\s+table\b[\s\S]*\badd\s+(constraint|check|unique|primary|foreign)\b/.test(statement))
      found.push('forbids rows that older versions write');
    if (
      /\badd\s+column\b/.test(statement) &&
      /\bnot\s+null\b/.test(statement) &&
      !/\bdefault\b/.test(statement)
    )
      found.push('requires a value that older versions do not write');
    return found.map((reason) => `${reason}: ${original.trim().split('\n', 1)[0]}`);
  });
}

const nameIn = (pattern: RegExp, statement: string): readonly string[] => {
  const name = pattern.exec(statement)?.[1];
  return name === undefined ? [] : [name.toLowerCase()];
};
