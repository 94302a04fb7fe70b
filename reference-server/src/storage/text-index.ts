import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { likePattern, searchPhrase } from './search-patterns.ts';
import { perEngine } from './sql-dialect.ts';

// The index ignores the case of all letters. SQLite's is a table of trigrams, which finds whole phrases; PostgreSQL's is
// an index on `search_documents`, which speeds up any pattern.

/** Whether the document `found` contains every word in its key, name or description. Each word must have a `searchPhrase`. */
export function isInDocument(words: readonly string[]): RawBuilder<SqlBool> {
  return perEngine({
    sqlite: sql`found.doc in (select rowid from search_index where search_index match ${phrasesOf(words)})`,
    postgres: holdsAll(['key', 'name', 'description'], words),
  });
}

/**
 * Continues a query after `from`: selects the documents that have every word in their key or name. The query refers to
 * them as `found`.
 */
export function documentsNamed(words: readonly string[]): RawBuilder<unknown> {
  return perEngine({
    sqlite: sql`search_index join search_documents as found on found.doc = search_index.rowid
      where search_index match ${`{key name} : (${phrasesOf(words)})`}`,
    postgres: sql`search_documents as found where ${holdsAll(['key', 'name'], words)}`,
  });
}

function phrasesOf(words: readonly string[]): string {
  return words.map(searchPhrase).join(' AND ');
}

function holdsAll(columns: readonly string[], words: readonly string[]): RawBuilder<SqlBool> {
  return sql.join(
    words.map((word) => holds(columns, word)),
    sql` and `,
  );
}

function holds(columns: readonly string[], text: string): RawBuilder<SqlBool> {
  const pattern = likePattern(text, 'anywhere');
  const each = columns.map(
    (column) => sql`folded(${sql.ref(`found.${column}`)}) like folded(${pattern}) escape '\\'`,
  );
  return sql<SqlBool>`(${sql.join(each, sql` or `)})`;
}
