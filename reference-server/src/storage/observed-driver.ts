import type { CompiledQuery, DatabaseConnection, Driver } from 'kysely';
import type { Activity, StatementKind } from './activity.ts';

/** A driver that reports waits, statements and transactions of `inner`. Measures nothing while nobody observes. */
export function observeDriver(inner: Driver, activity: Activity): Driver {
  /** The driver's own connection behind each one that callers use. */
  const connections = new WeakMap<DatabaseConnection, DatabaseConnection>();
  /** The callers' connection for each one of the driver, which may come from a pool. */
  const known = new WeakMap<DatabaseConnection, DatabaseConnection>();
  const { use } = activity;
  const beganAt = new WeakMap<DatabaseConnection, number>();
  const own = (connection: DatabaseConnection): DatabaseConnection => connections.get(connection)!;
  const end = async (
    outcome: 'commit' | 'rollback',
    connection: DatabaseConnection,
    act: () => Promise<void>,
  ): Promise<void> => {
    try {
      await act();
    } finally {
      const start = beganAt.get(connection);
      beganAt.delete(connection);
      if (start !== undefined) activity.transaction(outcome, performance.now() - start);
    }
  };
  return {
    init: (options) => inner.init(options),
    destroy: (options) => inner.destroy(options),
    async acquireConnection(options) {
      const startedAt = performance.now();
      use.waiting += 1;
      const connection = await inner.acquireConnection(options).finally(() => {
        use.waiting -= 1;
      });
      use.active += 1;
      if (activity.isObserved()) activity.waited(performance.now() - startedAt);
      const observed = known.get(connection) ?? observeConnection(connection, activity);
      known.set(connection, observed);
      connections.set(observed, connection);
      return observed;
    },
    releaseConnection(connection, options) {
      use.active -= 1;
      return inner.releaseConnection(own(connection), options);
    },
    async beginTransaction(connection, settings) {
      await inner.beginTransaction(own(connection), settings);
      if (activity.isObserved()) beganAt.set(connection, performance.now());
    },
    commitTransaction: (connection) =>
      end('commit', connection, () => inner.commitTransaction(own(connection))),
    rollbackTransaction: (connection) =>
      end('rollback', connection, () => inner.rollbackTransaction(own(connection))),
    ...(inner.savepoint && {
      savepoint: (connection, name, compile) => inner.savepoint!(own(connection), name, compile),
    }),
    ...(inner.rollbackToSavepoint && {
      rollbackToSavepoint: (connection, name, compile) =>
        inner.rollbackToSavepoint!(own(connection), name, compile),
    }),
    ...(inner.releaseSavepoint && {
      releaseSavepoint: (connection, name, compile) =>
        inner.releaseSavepoint!(own(connection), name, compile),
    }),
  };
}

function observeConnection(connection: DatabaseConnection, activity: Activity): DatabaseConnection {
  return {
    async executeQuery(query, options) {
      if (!activity.isObserved()) return connection.executeQuery(query, options);
      const startedAt = performance.now();
      let error: Error | undefined;
      try {
        return await connection.executeQuery(query, options);
      } catch (thrown) {
        error = thrown as Error;
        throw thrown;
      } finally {
        const durationMs = performance.now() - startedAt;
        activity.statement({ ...describe(query), text: query.sql, durationMs, error });
      }
    },
    streamQuery: (...all) => connection.streamQuery(...all),
  };
}

const KINDS: Readonly<Record<string, StatementKind>> = {
  SelectQueryNode: 'select',
  InsertQueryNode: 'insert',
  UpdateQueryNode: 'update',
  DeleteQueryNode: 'delete',
};

/** The parts of Kysely's nodes that name a table. */
interface TableNode {
  readonly table?: TableNode & { readonly identifier?: { readonly name: string } };
  readonly node?: TableNode;
}

function describe({ query }: CompiledQuery) {
  const { from, into, table } = query as unknown as {
    readonly from?: { readonly froms: readonly TableNode[] };
    readonly into?: TableNode;
    readonly table?: TableNode;
  };
  return { kind: KINDS[query.kind] ?? ('other' as const), table: nameOf(from?.froms[0] ?? into ?? table) };
}

/** The name of a table node, or of the table behind an alias. */
function nameOf(node: TableNode | undefined): string | undefined {
  const { table } = node?.node ?? node ?? {};
  return (table as { readonly identifier?: { readonly name: string } } | undefined)?.identifier?.name;
}
