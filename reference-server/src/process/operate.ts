import { type OperatorContext, type Outcome, Refusal } from '../operator/command.ts';
import type { CommandInput, OperatorCommandName, Program } from './command.ts';
import type { Config } from './config-variables.ts';
import { fail, print } from './output.ts';

/** Exit status of a command that ran and found faults. */
const FAULTS_FOUND = 2;

interface Operation {
  readonly config: Config;
  readonly program: Program;
  readonly input: CommandInput;
}

/** Runs a command of an operator and prints what it did: sentences, or with `--json` one JSON object. */
export async function operate(
  name: OperatorCommandName,
  { config, program, input }: Operation,
): Promise<void> {
  const context: OperatorContext = {
    ...config,
    ...program,
    now: Date.now,
    note: (line) => process.stderr.write(`${line}\n`),
  };
  try {
    const { lines, result, hasFaults = false } = await RUN[name](context, input);
    print(input.options['json'] === true ? JSON.stringify(result, undefined, 2) : lines.join('\n'));
    if (hasFaults) process.exitCode = FAULTS_FOUND;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    fail(error.message);
  }
}

type Run = (context: OperatorContext, input: CommandInput) => Promise<Outcome>;

const RUN: Readonly<Record<OperatorCommandName, Run>> = {
  async check(context, { options }) {
    const { check } = await import('../operator/check/check.ts');
    return check(context, options['quick'] === true ? 'quick_check' : 'integrity_check');
  },
  async backup(context, input) {
    const { backUp } = await import('../operator/backup/backup.ts');
    return backUp(context, { target: input.positionals[0]!, ...keepOf(input) });
  },
  async restore(context, { positionals, options }) {
    const { restore } = await import('../operator/restore/restore.ts');
    return restore(context, {
      source: positionals[0]!,
      replace: options['replace'] === true,
      withoutManifest: options['without-manifest'] === true,
    });
  },
  async 'migrate-database'(context, { options }) {
    const { from = context.databaseUrl, to } = options as { from?: string; to?: string };
    if (to === undefined) throw new Refusal('--to is required: --to postgres://user:password@host/database');
    const { migrateDatabase } = await import('../operator/migrate-database/migrate-database.ts');
    return migrateDatabase(context, { from, to });
  },
};

function keepOf({ options }: CommandInput): { readonly keep?: number } {
  const text = options['keep'];
  if (text === undefined) return {};
  if (/^[1-9]\d{0,5}$/.test(String(text))) return { keep: Number(text) };
  throw new Refusal(`--keep is "${String(text)}"; use a number of backups, at least 1.`);
}
