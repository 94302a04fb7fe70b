import pg from 'pg';

/** Statements that change a schema. */
const DDL = /^\s*(create|alter|drop|do|comment|grant|call)\b/i;

/**
 * Runs `act` and returns the statements by which it changed the schema, in order. PostgreSQL's own dump program is not
 * among the programs that the tests install.
 */
export async function recordSchema(act: () => Promise<void>): Promise<readonly string[]> {
  const statements: string[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...all: Parameters<typeof query>) {
    const [first] = all as readonly unknown[];
    const text = typeof first === 'string' ? first : (first as { text?: string }).text;
    if (text !== undefined && DDL.test(text)) statements.push(text);
    return query.apply(this, all);
  } as unknown as typeof query;
  try {
    await act();
  } finally {
    pg.Client.prototype.query = query;
  }
  return statements;
}

/** The SQL text that creates the schema and all rows of a database. */
export async function dumpPostgres(url: string, schema: readonly string[]): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      'select tablename as name from pg_tables where schemaname = current_schema() order by 1',
    );
    const lines = [...schema];
    for (const { name } of tables) lines.push(...(await dumpTable(client, name)));
    return lines.map((line) => `${line};\n`).join('');
  } finally {
    await client.end();
  }
}

async function dumpTable(client: pg.Client, name: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ all: string | null }>(
    `select json_agg(one)::text as all from "${name}" as one`,
  );
  const { rows: counters } = await client.query<{ column: string }>(
    `select attname as column from pg_attribute
      where attrelid = '"${name}"'::regclass and attidentity <> '' and not attisdropped`,
  );
  const all = rows[0]?.all;
  if (all == null) return [];
  // The database computes generated columns itself.
  const { rows: stored } = await client.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
      where attrelid = '"${name}"'::regclass and attnum > 0 and attgenerated = '' and not attisdropped`,
  );
  const { columns } = stored[0]!;
  return [
    `insert into "${name}" (${columns}) overriding system value
      select ${columns} from json_populate_recordset(null::"${name}", $rows$${all}$rows$)`,
    ...counters.map(
      ({ column }) =>
        `select setval(pg_get_serial_sequence('"${name}"', '${column}'), (select max("${column}") from "${name}"))`,
    ),
  ];
}

/**
 * Executes a dump in an empty database, as the role that will own the tables. `url` must be a superuser's, because only
 * a superuser can load rows without firing the triggers that once wrote the other rows.
 */
export async function loadPostgres(url: string, dump: string, owner: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query("set session_replication_role = 'replica'");
    await client.query(`set role ${owner}`);
    await client.query(dump);
  } finally {
    await client.end();
  }
}
