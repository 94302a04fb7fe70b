import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { either } from './either.ts';
import { likePattern } from './search-patterns.ts';

// The index ignores the case of all letters. SQLite's is a table of its own, of runs of three characters, which only
// whole phrases are looked up in; PostgreSQL's belongs to `search_documents`, and helps any pattern.

/** Whether the document `found` holds the text in its key, name or description; `phrase` is its `searchPhrase`. */
export function isInDocument(text: string, phrase: string): RawBuilder<SqlBool> {
  return either({
    sqlite: sql`found.doc in (select rowid from search_index where search_index match ${phrase})`,
    postgres: holds(['key', 'name', 'description'], text),
  });
}

/** The documents `found` that hold the text in their key or name; what follows `from`, conditions included. */
export function documentsNamed(text: string, phrase: string): RawBuilder<unknown> {
  return either({
    sqlite: sql`search_index join search_documents as found on found.doc = search_index.rowid
      where search_index match ${`{key name} : ${phrase}`}`,
    postgres: sql`search_documents as found where ${holds(['key', 'name'], text)}`,
  });
}

function holds(columns: readonly string[], text: string): RawBuilder<SqlBool> {
  const pattern = likePattern(text, 'anywhere');
  const each = columns.map(
    (column) => sql`folded(${sql.ref(`found.${column}`)}) like folded(${pattern}) escape '\\'`,
  );
  return sql<SqlBool>`(${sql.join(each, sql` or `)})`;
}
