import { expect } from 'vitest';
import type { Terminal } from '../../../src/cli/output/terminal.ts';
import { run } from '../../../src/cli/run/run.ts';
import {
  type CommandLine,
  type CommandLineOptions,
  type Outcome,
  startCommandLine,
} from '../command-line.ts';

/** An answer at a prompt; a terminal in raw mode rejects the question instead of sending a signal. */
export const CTRL_C = '\u0003';

/** What a person does beside typing a command. */
export interface Input {
  /** The lines that the person types at prompts. Without them, the command line has no terminal. */
  readonly answers?: readonly string[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Width of the terminal. */
  readonly columns?: number;
}

/** A person at a terminal, logged in to a server of their own. */
export interface Person {
  readonly cli: CommandLine;
  /** Runs a line as a shell would, in this process. */
  type(line: string, input?: Input): Promise<Outcome & { readonly prompts: string }>;
  /** Runs a line that must succeed. Returns its standard output. */
  does(line: string, input?: Input): Promise<string>;
  /** Runs a line with `--json`, which must succeed. */
  reads(line: string): Promise<Outcome['json']>;
  leave(): Promise<void>;
}

export async function createPerson(options: CommandLineOptions = {}): Promise<Person> {
  const cli = await startCommandLine(options);
  await cli.login('admin@example.com');
  const type = (line: string, input: Input = {}) => typeLine(cli, line, input);
  return {
    cli,
    type,
    async does(line, input) {
      const { code, out, err } = await type(line, input);
      expect({ line, code, err: code === 0 ? '' : err }).toEqual({ line, code: 0, err: '' });
      return out;
    },
    async reads(line) {
      const { code, json, err } = await type(`${line} --json`);
      expect({ line, code, err: code === 0 ? '' : err }).toEqual({ line, code: 0, err: '' });
      return json;
    },
    leave: () => cli.close(),
  };
}

async function typeLine(cli: CommandLine, line: string, input: Input) {
  const text = { out: '', err: '', prompts: '' };
  const answers = [...(input.answers ?? [])];
  const terminal: Terminal = {
    env: { FLAGSVC_CONFIG_DIR: cli.folder, FLAGSVC_URL: cli.url, ...input.env },
    platform: 'linux',
    isInteractive: input.answers !== undefined,
    columns: input.columns,
    signal: new AbortController().signal,
    out: (more) => {
      text.out += more;
    },
    err: (more) => {
      text.err += more;
    },
    readInput: async () => input.stdin ?? '',
    async ask(question) {
      text.prompts += question;
      const answer = answers.shift() ?? '';
      if (answer === CTRL_C) throw new DOMException('Aborted with Ctrl+C', 'AbortError');
      return answer;
    },
  };
  const code = await run(splitLine(line), terminal, '0.0.0-test');
  let json: unknown;
  try {
    json = JSON.parse(text.out);
  } catch {
    json = undefined;
  }
  return { code, json, ...text };
}

/** The words of a line; quotes keep blanks, as in a shell. */
function splitLine(line: string): readonly string[] {
  return [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  );
}
