import { openDatabase } from '../src/storage/database.ts';
import { ask, databaseUrl, POSTGRES_VARIABLE, TEMPLATE } from './database.ts';
import { type Postgres, startPostgres } from './postgres.ts';

let postgres: Postgres;

/** One PostgreSQL for a run of tests. */
export async function setup(): Promise<void> {
  postgres = await startPostgres();
  await ask(postgres.url, `create database ${TEMPLATE}`);
  await (await openDatabase(databaseUrl(postgres.url, TEMPLATE))).destroy();
  process.env[POSTGRES_VARIABLE] = postgres.url;
}

export const teardown = (): Promise<void> => postgres.remove();
