import { makeTemplate, POSTGRES_VARIABLE } from './database.ts';
import { type Postgres, startPostgres } from './postgres.ts';

let postgres: Postgres;

/** One PostgreSQL for a run of tests. */
export async function setup(): Promise<void> {
  postgres = await startPostgres();
  await makeTemplate(postgres.url);
  process.env[POSTGRES_VARIABLE] = postgres.url;
}

export const teardown = (): Promise<void> => postgres.remove();
