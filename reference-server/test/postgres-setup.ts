import { makeTemplate, POSTGRES_VARIABLE } from './database.ts';
import { type Postgres, startPostgres } from './postgres.ts';

let postgres: Postgres;

/** Starts one PostgreSQL for a whole test run. */
export async function setup(): Promise<void> {
  postgres = await startPostgres();
  await makeTemplate(postgres.url);
  process.env[POSTGRES_VARIABLE] = postgres.url;
}

export const teardown = (): Promise<void> => postgres.remove();
