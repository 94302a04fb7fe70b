import { expect, test } from 'vitest';
import { CONTRACTIONS } from '../../src/storage/contractions.ts';
import { POSTGRES_MIGRATIONS, SQLITE_MIGRATIONS } from '../../src/storage/migrations.ts';
import { findTightening } from './expand-only.ts';
import { RELEASES, readCompressed } from './release-files.ts';

/** The names of migrations in a release's dump, which quotes each one as JSON. */
const namesIn = (release: string): ReadonlySet<string> =>
  new Set(
    [
      ...readCompressed(release, 'postgres')
        .toString()
        .matchAll(/"name":"(\d{4}-[\w-]+)"/g),
    ].map(([, name]) => name!),
  );
/** Migrations of SQLite that PostgreSQL has in one. The first release contains them. */
const IN_FIRST_SCHEMA = /^00(0[1-9]|[1-6]\d|7[01])-/;
const first = namesIn(RELEASES[0]!);
const isFirst = (name: string): boolean => first.has(name) || IN_FIRST_SCHEMA.test(name);

test('the first release records its migrations', () => {
  expect([...first]).toContain('0220-event-keys');
  expect(isFirst('0320-audit-by-actor')).toBe(false);
});

test.each([
  ['SQLite', SQLITE_MIGRATIONS],
  ['PostgreSQL', POSTGRES_MIGRATIONS],
])('migrations of %s since the first release take nothing away from older versions', (_, migrations) => {
  const found = Object.entries(migrations)
    .filter(([name]) => !isFirst(name) && !Object.hasOwn(CONTRACTIONS, name))
    .flatMap(([name, statements]) => findTightening(statements).map((reason) => `${name} ${reason}`));
  // To take something away in three steps, see docs/guide/upgrade.md#how-the-schema-changes.
  expect(found).toEqual([]);
});

test('each contraction requires a migration that an earlier release contains', () => {
  const released = namesIn(RELEASES.at(-1)!);
  for (const [contraction, required] of Object.entries(CONTRACTIONS)) {
    expect(Object.keys(SQLITE_MIGRATIONS)).toContain(contraction);
    expect([...released]).toContain(required);
  }
});

test.each([
  'drop table flags',
  'alter table flags drop column name',
  'alter table flags rename to flag',
  'alter table flags rename column name to title',
  'alter table flags alter column name type integer',
  'alter table flags alter column name set not null',
  'alter table flags add column size integer not null',
  'alter table flags add constraint positive check (revision > 0)',
  'create unique index flags_by_name on flags (name)',
  'drop trigger flags_found',
  'ALTER TABLE flags DROP COLUMN name',
])('finds what `%s` takes away', (statement) => {
  expect(findTightening([statement])).toHaveLength(1);
});

test.each([
  [['create table added (id text primary key not null)', 'create unique index one on added (id)']],
  [['alter table flags add column size integer']],
  [['alter table flags add column size integer not null default 0']],
  [['create index flags_by_name on flags (name)', 'update flags set name = name']],
  [['drop index flags_by_name']],
])('accepts the additions %j', (statements) => {
  expect(findTightening(statements)).toEqual([]);
});
