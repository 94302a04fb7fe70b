import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import type { Damage } from './damage.ts';
import type { Watch } from './dead-connection-detector.ts';
import { hasNul, isRead, requireStorable } from './text-checks.ts';
import { DatabaseUnavailable } from './unavailable.ts';

/** What every write is answered by a connection that was opened while the database took none. */
const READ_ONLY = '25006';

/** Classes and codes of PostgreSQL's errors that are of the machine or of the moment, not of the statement. */
const OUTAGE =
  /^(08...|25006|25P04|53...|55P03|57014|57P0.|58...)$|^(ECONN(RESET|ABORTED)|EPIPE|ETIMEDOUT|E(HOST|NET)UNREACH)$/;

/** A page that cannot be read, an index that leads nowhere. */
const CORRUPT = /^XX00[12]$/;

interface Fault extends Error {
  readonly code?: unknown;
  /** Where PostgreSQL has found it. */
  readonly routine?: string;
}

function isOutage({ code, message, routine }: Fault): boolean {
  // What the driver says of a connection that has gone has no code.
  if (typeof code !== 'string') return /connect|terminated|timeout/i.test(message);
  // Rights that the role has lost, and not a row that a policy refuses, which has the same code.
  return OUTAGE.test(code) || (code === '42501' && routine === 'aclcheck_error');
}

function unavailable(fault: Fault): DatabaseUnavailable {
  // Of several addresses there is no message.
  return new DatabaseUnavailable(fault.message || String(fault.code), { cause: fault });
}

/** Stands for a NUL, which nothing that is stored holds, where something is looked for: it is no character either. */
const NO_CHARACTER = '\uffff';

function sendable(statement: string, parameters: readonly unknown[]): unknown[] {
  if (!isRead(statement)) requireStorable(parameters);
  return parameters.map((one) => (hasNul(one) ? String(one).replaceAll('\0', NO_CHARACTER) : one));
}

interface Guards {
  readonly watch: Watch;
  readonly damage: Damage;
}

/** The pool, with damage and outages told from mistakes, texts that can be sent, and statements that are watched. */
export function guardPool(pool: Pool, { watch, damage }: Guards): PostgresPool {
  const guarded = new WeakMap<PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      // Whatever it is: nothing was asked yet that could be wrong.
      const client = await pool.connect().catch((fault: Fault) => {
        throw unavailable(fault);
      });
      const known = guarded.get(client) ?? guardClient(client, { watch, damage });
      guarded.set(client, known);
      return known;
    },
  };
}

function guardClient(client: PoolClient, { watch, damage }: Guards): PostgresPoolClient {
  // Of a connection that goes while it is used its query hears; unheard, it would end the process.
  client.on('error', () => {});
  let isReadOnly = false;
  const query = async (text: string, parameters: readonly unknown[] = []) =>
    watch(client, () => client.query(text, sendable(text, parameters))).catch((fault: Fault) => {
      isReadOnly ||= fault.code === READ_ONLY;
      if (typeof fault.code === 'string' && CORRUPT.test(fault.code)) throw damage.note(fault);
      throw isOutage(fault) ? unavailable(fault) : fault;
    });
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy || isReadOnly),
  };
}
