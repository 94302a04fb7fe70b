import { readFileSync } from 'node:fs';
import { dialCommand } from '../adapter/carriers.ts';
import { createSession } from '../adapter/session.ts';
import type { LoadedScenario } from '../scenarios/load.ts';
import { runScenario } from '../scenarios/run-scenario.ts';

/** A change to the client's sources that breaks one behaviour. */
export interface ClientMutant {
  readonly id: string;
  /** What the broken client does. */
  readonly title: string;
  /** Ids of the scenarios that fail with this change. They run first. */
  readonly noticed_by: readonly string[];
  readonly patches: readonly {
    /** Path from the root of the repository. */
    readonly file: string;
    /** The text to replace, which must occur once in the file. */
    readonly find: string;
    readonly replace: string;
  }[];
}

/** The result of running scenarios against a mutant. */
export interface Verdict {
  /** Id of the scenario that failed; undefined if the mutant survived. */
  readonly killer: string | undefined;
  /** Whether the changed sources were really loaded. */
  readonly loaded: boolean;
}

/** Reads all mutants. */
export const readClientMutants = (): readonly ClientMutant[] => {
  const path = new URL('client-mutants.json', import.meta.url);
  return (JSON.parse(readFileSync(path, 'utf8')) as { mutants: ClientMutant[] }).mutants;
};

/**
 * Runs scenarios against one mutant of the Node client until one fails. `command` starts the adapter and preloads
 * `adapters/lib/mutate.mjs`, which applies the mutant.
 */
export const runClientMutant = async (
  mutant: ClientMutant,
  scenarios: readonly LoadedScenario[],
  command: string,
): Promise<Verdict> => {
  let log = '';
  const isLoaded = () => log.includes('mutated');
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
  try {
    const hello = await session.hello();
    const isKnown = ({ id }: LoadedScenario) => mutant.noticed_by.includes(id);
    const ordered = [...scenarios.filter(isKnown), ...scenarios.filter((scenario) => !isKnown(scenario))];
    for (const scenario of ordered) {
      const { outcome } = await runScenario({ session, hello }, scenario, { scale: 0.02 });
      if (outcome === 'fail' || outcome === 'crash') return { killer: scenario.id, loaded: isLoaded() };
    }
    return { killer: undefined, loaded: isLoaded() };
  } finally {
    await session.close();
  }
};
