import { Type } from 'typebox';
import type { ErrorDetails } from './errors.ts';
import { Warning } from './warnings.ts';

/** What the gate says of a change: free, or the error that it would be refused with. */
export interface GateVerdict {
  readonly allowed: boolean;
  readonly code: string | null;
  readonly message: string | null;
  readonly details: ErrorDetails;
}

/** One change that would be made. */
export interface PlannedChange {
  readonly action: string;
  /** Null when the change was refused before it was known what it is about. */
  readonly resource: {
    readonly type: string;
    readonly id: string;
    readonly key: string | null;
    readonly environment_id: string | null;
  } | null;
  readonly changes: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
  /** Environments whose ruleset would get a new version. */
  readonly environment_ids: readonly string[];
  readonly warnings: readonly Warning[];
  readonly gate: GateVerdict;
}

/**
 * Ends a write that was asked for with `?dry_run=true`: thrown out of its transaction, which undoes whatever was
 * tried, and answered as 200 with `data.plan`.
 */
export class DryRun extends Error {
  readonly plan: readonly PlannedChange[];

  constructor(plan: readonly PlannedChange[]) {
    super('This was a dry run.');
    this.name = 'DryRun';
    this.plan = plan;
  }
}

const nullableText = Type.Union([Type.String(), Type.Null()]);

/** The schema of `{ data: { plan } }`. */
export const DryRunAnswer = Type.Object({
  data: Type.Object({
    plan: Type.Array(
      Type.Object({
        action: Type.String({ description: 'The audit entry that there would be.' }),
        resource: Type.Union([
          Type.Object({
            type: Type.String(),
            id: Type.String({
              description: 'Of something that would be created: another one than it will get.',
            }),
            key: nullableText,
            environment_id: nullableText,
          }),
          Type.Null(),
        ]),
        changes: Type.Record(Type.String(), Type.Object({ from: Type.Unknown(), to: Type.Unknown() })),
        environment_ids: Type.Array(Type.String(), {
          description: 'Environments whose ruleset would get a new version.',
        }),
        warnings: Type.Array(Warning),
        gate: Type.Object(
          {
            allowed: Type.Boolean(),
            code: nullableText,
            message: nullableText,
            details: Type.Record(Type.String(), Type.Unknown()),
          },
          { description: 'Whether it would be let through; if not, the error.' },
        ),
      }),
    ),
  }),
});
