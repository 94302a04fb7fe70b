import { Type } from 'typebox';
import { EarlyAnswer, type ErrorDetails } from './errors.ts';
import { Warning } from './warnings.ts';

/** Whether the guards would let a change through; if not, the error that the caller would get. */
export interface GateVerdict {
  readonly allowed: boolean;
  readonly code: string | null;
  readonly message: string | null;
  readonly details: ErrorDetails;
}

/** One change of a dry run. */
export interface PlannedChange {
  readonly action: string;
  /** Null when the change was refused before its resource was known. */
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

/** Ends a write that was requested with `?dry_run=true`: undoes its transaction and answers 200 with `data.plan`. */
export class DryRun extends EarlyAnswer {
  readonly plan: readonly PlannedChange[];

  constructor(plan: readonly PlannedChange[]) {
    super('This was a dry run.', { data: { plan } });
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
        action: Type.String({ description: 'Action of the audit entry that the change would write.' }),
        resource: Type.Union([
          Type.Object({
            type: Type.String(),
            id: Type.String({
              description:
                'For a resource that would be created, a placeholder: the real call assigns another id.',
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
          { description: 'Whether the guards would let the change through; if not, the error.' },
        ),
      }),
    ),
  }),
});
