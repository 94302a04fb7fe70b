import { readFileSync } from 'node:fs';
import { dialCommand } from '../adapter/carriers.ts';
import { createSession } from '../adapter/session.ts';
import type { LoadedScenario } from '../scenarios/load.ts';
import { runScenario } from '../scenarios/run-scenario.ts';

/** The client's sources, broken in one way. */
export interface ClientMutant {
  readonly id: string;
  /** What the broken client does. */
  readonly title: string;
  /** Scenarios that are known to notice: they are asked first. */
  readonly noticed_by: readonly string[];
  readonly patches: readonly {
    /** Below the root of the repository. */
    readonly file: string;
    /** Occurs once in the file. */
    readonly find: string;
    readonly replace: string;
  }[];
}

/** What became of a mutant. */
export interface Verdict {
  readonly mutant: ClientMutant;
  /** Ids of the scenarios that noticed; empty when it lived. */
  readonly killers: readonly string[];
  /** True when the broken sources were really loaded. */
  readonly loaded: boolean;
}

/** The registry. */
export const readClientMutants = (): readonly ClientMutant[] => {
  const path = new URL('client-mutants.json', import.meta.url);
  return (JSON.parse(readFileSync(path, 'utf8')) as { mutants: ClientMutant[] }).mutants;
};

/**
 * Runs scenarios against one mutant of the Node client until one notices. `command` starts the healthy adapter, and
 * says where the preloaded file goes with `{preload}`.
 */
export const runClientMutant = async (
  mutant: ClientMutant,
  scenarios: readonly LoadedScenario[],
  command: string,
  options: { readonly all?: boolean } = {},
): Promise<Verdict> => {
  let log = '';
  const dial = dialCommand(command, { ...process.env, FLAGSVC_MUTANT: JSON.stringify(mutant) });
  const session = createSession(
    (events) =>
      dial({
        ...events,
        log(text) {
          log += text;
          events.log(text);
        },
      }),
    { timeoutMs: 10_000 },
  );
  const killers: string[] = [];
  try {
    const hello = await session.hello();
    const known = new Set(mutant.noticed_by);
    const ordered = [
      ...scenarios.filter(({ id }) => known.has(id)),
      ...scenarios.filter(({ id }) => !known.has(id)),
    ];
    for (const scenario of ordered) {
      const { outcome } = await runScenario(session, hello, scenario, { scale: 0.02 });
      if (outcome === 'fail' || outcome === 'crash') killers.push(scenario.id);
      if (killers.length && options.all !== true) break;
    }
  } finally {
    await session.close();
  }
  return { mutant, killers, loaded: log.includes('mutated') };
};
