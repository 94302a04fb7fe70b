import { type Expression, type RawBuilder, type RawNode, sql } from 'kysely';

/** A fragment that PostgreSQL has other words for. */
interface EitherNode extends RawNode {
  readonly postgres: RawNode;
}

/**
 * One fragment in the words of each engine: the compiler of the statement takes its own, so that whoever writes a
 * statement need not know the engine. For what no words of both can say.
 */
export function either<T>(words: {
  readonly sqlite: RawBuilder<unknown>;
  readonly postgres: RawBuilder<unknown>;
}): RawBuilder<T> {
  const fragment: Expression<T> = {
    expressionType: undefined,
    toOperationNode: (): EitherNode => ({
      ...(words.sqlite.toOperationNode() as RawNode),
      postgres: words.postgres.toOperationNode() as RawNode,
    }),
  };
  return sql<T>`${fragment}`;
}

/** What PostgreSQL's compiler writes for a fragment. */
export function postgresWords(node: RawNode): RawNode {
  return (node as Partial<EitherNode>).postgres ?? node;
}
