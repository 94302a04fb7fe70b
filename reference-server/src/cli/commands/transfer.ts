import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { confirm, showWritten, writeParts } from '../changes/write.ts';
import type { Api } from '../client/api.ts';
import type { Data } from '../client/document.ts';
import { findProject, listEnvironments, onlyEnvironment, pick } from '../lookup/find.ts';
import { CliError, EXIT, usageError } from '../output/errors.ts';
import { cellText, renderTable } from '../output/table.ts';
import { type Argument, type Command, WRITE_OPTIONS } from '../session/command.ts';
import type { Session } from '../session/session.ts';

type Import = Data<'GET /imports/{import_id}'>;

const FILE: Argument = {
  name: 'file',
  summary: 'A file that export has written, or of flagd; - is standard input',
};

const OF_FILES = {
  environment: 'Key of the environment that a file of flagd is for; it names none itself.',
  format: 'Format of the file; default: what it looks like.',
};

const exportCommand: Command = {
  name: 'export',
  summary: 'Write a project, with all environments, as one file',
  options: ['project', 'environment', 'format', 'output'],
  says: {
    environment: 'Leave all environments out but this one, by key or id.',
    format: 'Format of the file; default yaml, or json with --json.',
  },
  notes: 'It holds no ids and is in a fixed order, so that it can be kept in version control.',
  examples: ['export > flags.yaml', 'export --format flagd -e production -o flagd.json'],
  async run(session, { options }) {
    const format = options.format ?? (options.json === true ? 'json' : 'yaml');
    if (options.json === true && format === 'yaml') throw usageError('--json writes no yaml.');
    const api = session.api();
    const project = await findProject(session, api);
    const wanted = onlyEnvironment(options.environment);
    const environment =
      wanted === undefined ? undefined : pick('environment', wanted, await listEnvironments(api, project));
    const { text, warnings } = await api.text('GET /projects/{project_id}/export', {
      params: { project_id: project.id },
      query: { format, environment_keys: environment?.key },
    });
    const whole = text.endsWith('\n') ? text : `${text}\n`;
    if (options.output === undefined) session.terminal.out(whole);
    else writeDocument(options.output, whole);
    for (const warning of warnings) session.terminal.err(`Note: ${cellText(warning)}\n`);
  },
};

const importCommand: Command = {
  name: 'import',
  summary: 'Bring a project to what a file says, all or nothing',
  args: [FILE],
  options: ['project', 'environment', 'format', 'mode', 'yes', ...WRITE_OPTIONS],
  says: { ...OF_FILES, yes: 'Do not ask before.' },
  notes: 'It shows what would change and asks before it does that.',
  examples: ['import flags.yaml', 'import flags.yaml --mode replace --yes -m "Release 12"'],
  async run(session, { args }) {
    if (session.options['dry-run'] === true) {
      const { api, request } = await prepare(session, args[0]!);
      const { headers, query } = writeParts(session);
      const tried = { ...request, headers, query };
      const answer = await api.change('POST /projects/{project_id}/imports', tried);
      showWritten(session, answer, renderImport);
      return;
    }
    const { api, project, planned } = await plan(session, args[0]!);
    refuseErrors(planned);
    if (countOf(planned) === 0) {
      session.show(planned, () => 'Nothing to do: the project is as the file says.\n');
      return;
    }
    if (session.options.json !== true) session.terminal.err(renderImport(planned));
    await confirm(session, { what: 'Do this', name: `project ${project.key}`, where: { project } });
    const applied = await apply(session, api, planned);
    session.show(
      applied,
      () => `Done: ${countOf(applied)} changed, ${applied.plan.unchanged} as they were.\n`,
    );
  },
};

const diff: Command = {
  name: 'diff',
  summary: 'Show how a file differs from the project, or one environment from another',
  args: [{ ...FILE, isOptional: true }],
  options: ['project', 'environment', 'format', 'mode', 'from', 'to', 'exit-code'],
  says: OF_FILES,
  examples: ['diff flags.yaml --exit-code', 'diff --from staging --to production'],
  async run(session, { args: [file], options }) {
    if (file === undefined) return diffEnvironments(session);
    if (options.from !== undefined || options.to !== undefined) {
      throw usageError('Compare either a file or two environments.');
    }
    const { planned } = await plan(session, file);
    refuseErrors(planned);
    session.show(planned.plan, () =>
      countOf(planned) === 0 ? 'There is no difference.\n' : renderImport(planned),
    );
    return options['exit-code'] === true && countOf(planned) > 0 ? 1 : 0;
  },
};

async function diffEnvironments(session: Session): Promise<number> {
  const { options } = session;
  const { from, to } = options;
  if (from === undefined || to === undefined) {
    throw usageError('Compare what?', 'Name a file, or two environments with --from and --to.');
  }
  const api = session.api();
  const environments = await listEnvironments(api, await findProject(session, api));
  const query = {
    source: pick('environment', from, environments).id,
    target: pick('environment', to, environments).id,
  };
  const compared = await api.all('GET /environments/compare', { query });
  const different = compared.filter(({ state }) => state !== 'identical');
  session.show(different, () =>
    different.length === 0
      ? 'There is no difference.\n'
      : renderTable(
          different.flatMap(({ flag_key, state, changes }) => {
            const fields = Object.entries(changes);
            if (fields.length === 0) return [{ flag_key, field: state, from: '', to: '' }];
            // The API shows what promoting would change: from the value of its target, which is --to.
            return fields.map(([field, change]) => ({
              flag_key,
              field,
              from: cellText(change.to),
              to: cellText(change.from),
            }));
          }),
          [
            { head: 'FLAG', cell: (row) => row.flag_key },
            { head: 'FIELD', cell: (row) => row.field },
            { head: from.toUpperCase(), cell: (row) => row.from },
            { head: to.toUpperCase(), cell: (row) => row.to },
          ],
        ),
  );
  return options['exit-code'] === true && different.length > 0 ? 1 : 0;
}

async function plan(session: Session, file: string) {
  const { api, project, request } = await prepare(session, file);
  return { api, project, planned: await api.call('POST /projects/{project_id}/imports', request) };
}

async function prepare(session: Session, file: string) {
  const { options, terminal } = session;
  const document = file === '-' ? await terminal.readInput() : readDocument(file);
  const format: 'flagd' | 'flagsvc' =
    options.format === undefined ? formatOf(document) : options.format === 'flagd' ? 'flagd' : 'flagsvc';
  const api = session.api();
  const project = await findProject(session, api);
  const body = {
    format,
    document,
    mode: options.mode,
    ...(format === 'flagd' && options.environment !== undefined && { environment_keys: options.environment }),
    comment: options.comment,
  };
  return { api, project, request: { params: { project_id: project.id }, body } };
}

function readDocument(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new CliError(isMissing ? `There is no file ${file}.` : (error as Error).message, {
      code: 'FILE_UNREADABLE',
      exitCode: EXIT.usage,
    });
  }
}

function writeDocument(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CliError(`${file} cannot be written: ${(error as Error).message}.`, {
      code: 'FILE_UNWRITABLE',
    });
  }
}

/** Files of flagd are JSON with a schema of flagd's, or with nothing that ours begin with. */
function formatOf(text: string): 'flagsvc' | 'flagd' {
  return /flagd\.dev\/schema/.test(text) || (/"flags"\s*:\s*\{/.test(text) && !/apiVersion/.test(text))
    ? 'flagd'
    : 'flagsvc';
}

const POLL_INTERVAL_MS = 500;

async function apply(session: Session, api: Api, { id }: Import): Promise<Import> {
  const { headers } = writeParts(session);
  const params = { import_id: id };
  let state = await api.call('POST /imports/{import_id}/apply', {
    params,
    headers: { ...headers, prefer: 'handling=strict, wait=30' },
    body: { comment: session.options.comment },
  });
  while (state.status === 'applying') {
    await sleep(POLL_INTERVAL_MS, undefined, { signal: session.terminal.signal });
    state = await api.call('GET /imports/{import_id}', { params });
  }
  if (state.status === 'applied') return state;
  throw new CliError(`Nothing was imported: ${state.error?.message ?? state.status}`, {
    code: state.error?.code ?? 'IMPORT_FAILED',
    exitCode: EXIT.conflict,
    details: { import_id: id },
  });
}

function refuseErrors({ plan: { errors } }: Import): void {
  if (errors.length === 0) return;
  const lines = errors.map(({ path, message }) => `\n  ${cellText(path)}: ${cellText(message)}`);
  throw new CliError(`The file cannot be imported.${lines.join('')}`, {
    code: 'IMPORT_INVALID',
    details: { errors },
  });
}

const VERBS = ['create', 'update', 'archive'] as const;
const NOUNS = ['environments', 'segments', 'flags'] as const;

function countOf({ plan: planned }: Import): number {
  return VERBS.flatMap((verb) => NOUNS.map((noun) => planned[verb][noun].length)).reduce((a, b) => a + b, 0);
}

function renderImport({ plan: planned }: Import): string {
  const rows = VERBS.flatMap((verb) =>
    NOUNS.flatMap((noun) => planned[verb][noun].map((key) => ({ verb, noun: noun.slice(0, -1), key }))),
  );
  const table = renderTable(rows, [
    { head: 'WOULD', cell: ({ verb }) => verb },
    { head: 'WHAT', cell: ({ noun }) => noun },
    { head: 'KEY', cell: ({ key }) => key },
  ]);
  return `${table}${planned.unchanged} would stay as they are.\n`;
}

export const transferCommands: readonly Command[] = [exportCommand, importCommand, diff];
