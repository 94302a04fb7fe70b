import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import type { Damage } from './damage.ts';
import { WatchedClient, type WatchStatement } from './dead-connection-detector.ts';
import { hasNul, isRead, requireStorable } from './text-checks.ts';
import { DatabaseUnavailable } from './unavailable.ts';

/** The code with which every write fails on a connection that was opened while the database was read-only. */
const READ_ONLY = '25006';

/** Codes of errors that the statement did not cause: faults of the server or the network, and transient errors. */
const OUTAGE =
  /^(08...|25006|25P04|53...|55P03|57014|57P0.|58...)$|^(ECONN(RESET|ABORTED)|EPIPE|ETIMEDOUT|E(HOST|NET)UNREACH)$/;

/** Codes for an unreadable page and a broken index. */
const CORRUPT = /^XX00[12]$/;

interface Fault extends Error {
  readonly code?: unknown;
  /** The function of PostgreSQL that raised it. */
  readonly routine?: string;
}

function isOutage({ code, message, routine }: Fault): boolean {
  // The driver's own errors about lost connections have no code.
  if (typeof code !== 'string') return /connect|terminated|timeout/i.test(message);
  // This routine means that the role has lost a privilege. If a policy refuses a row, the code is the same, but the
  // routine differs.
  return OUTAGE.test(code) || (code === '42501' && routine === 'aclcheck_error');
}

function unavailable(fault: Fault): DatabaseUnavailable {
  // If the driver tried several addresses, the error has no message.
  return new DatabaseUnavailable(fault.message || String(fault.code), { cause: fault });
}

/** Replaces a NUL in a search: PostgreSQL rejects NULs, and no stored text contains this noncharacter. */
const NONCHARACTER = '\uffff';

function sendable(statement: string, parameters: readonly unknown[]): unknown[] {
  if (!isRead(statement)) requireStorable(parameters);
  return parameters.map((one) => (hasNul(one) ? String(one).replaceAll('\0', NONCHARACTER) : one));
}

interface Guards {
  readonly watch: WatchStatement;
  readonly damage: Damage;
}

/** The pool for Kysely: classifies errors, checks texts, and watches each statement for a dead connection. */
export function guardPool(pool: Pool, { watch, damage }: Guards): PostgresPool {
  const guarded = new WeakMap<PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      // No statement has been sent yet, so any error is an outage.
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
  if (!(client instanceof WatchedClient)) throw new Error('The pool makes clients of another class.');
  // The pending query reports a broken connection; without a listener, the event would end the process.
  client.on('error', () => {});
  let isReadOnly = false;
  const query = async (text: string, parameters: readonly unknown[] = []) =>
    watch(client, () => client.query(text, sendable(text, parameters))).catch((fault: Fault) => {
      isReadOnly ||= fault.code === READ_ONLY;
      if (typeof fault.code === 'string' && CORRUPT.test(fault.code)) throw damage.record(fault);
      throw isOutage(fault) ? unavailable(fault) : fault;
    });
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy || isReadOnly),
  };
}
