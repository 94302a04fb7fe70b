import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { hasNul, isRead, requireStorable } from './storable-texts.ts';

/** The database cannot be asked now, or not be written to; the cause says why. */
class DatabaseUnavailable extends Error {
  readonly code = 'DATABASE_UNAVAILABLE';
}

/** Classes and codes of PostgreSQL's errors that are of the machine or of the moment, not of the statement. */
const OUTAGE =
  /^(08...|25006|53...|55P03|57P0.|58...)$|^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/;

function toOutage(error: unknown): never {
  const { code, message } = error as { code?: unknown; message: string };
  // What the driver says of a connection that has gone has no code, and of several addresses no message.
  const isOutage = typeof code === 'string' ? OUTAGE.test(code) : /connect|terminated|timeout/i.test(message);
  if (isOutage) throw new DatabaseUnavailable(message || String(code), { cause: error });
  throw error;
}

/** Stands for a NUL, which nothing that is stored holds, where something is looked for: it is no character either. */
const NO_CHARACTER = '\uffff';

function sendable(statement: string, parameters: readonly unknown[]): unknown[] {
  if (!isRead(statement)) requireStorable(parameters);
  return parameters.map((one) => (hasNul(one) ? String(one).replaceAll('\0', NO_CHARACTER) : one));
}

/** The pool, with outages told from mistakes, and texts that can be sent. */
export function guardPool(pool: Pool): PostgresPool {
  const guarded = new WeakMap<PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect().catch(toOutage);
      const known = guarded.get(client) ?? guardClient(client);
      guarded.set(client, known);
      return known;
    },
  };
}

function guardClient(client: PoolClient): PostgresPoolClient {
  // Of a connection that goes while it is used its query hears; unheard, it would end the process.
  client.on('error', () => {});
  const query = async (text: string, parameters: readonly unknown[] = []) =>
    client.query(text, sendable(text, parameters)).catch(toOutage);
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy),
  };
}
