import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { either } from './dialect.ts';
import { likePattern, searchPhrase } from './search-patterns.ts';

// The index ignores the case of all letters. SQLite's is a table of its own, of runs of three characters, which only
// whole phrases are looked up in; PostgreSQL's belongs to `search_documents`, and helps any pattern.

/** Whether the document `found` holds each of the words, which have a `searchPhrase`, in its key, name or description. */
export function isInDocument(words: readonly string[]): RawBuilder<SqlBool> {
  return either({
    sqlite: sql`found.doc in (select rowid from search_index where search_index match ${phrasesOf(words)})`,
    postgres: holdsAll(['key', 'name', 'description'], words),
  });
}

/** The documents `found` that hold each of the words in their key or name; what follows `from`, conditions included. */
export function documentsNamed(words: readonly string[]): RawBuilder<unknown> {
  return either({
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
