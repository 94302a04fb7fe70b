import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { changeOptions } from '../changes/change-options.ts';
import { confirm } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import type { Api } from '../client/api.ts';
import type { Data } from '../client/document.ts';
import { parseDocument, readDocument } from '../input/read-file.ts';
import type { Argument } from '../input/syntax.ts';
import { findProject, listEnvironments, pick, singleEnvironment } from '../lookup/find.ts';
import { CliError, EXIT, usageError } from '../output/errors.ts';
import { escapeControls } from '../output/plain-text.ts';
import { cellText, warningText } from '../output/table.ts';
import { type Command, WRITE_OPTIONS } from '../session/command.ts';
import type { Session } from '../session/session.ts';

type Import = Data<'GET /imports/{import_id}'>;

const FILE: Argument = {
  name: 'file',
  summary: 'File written by export, or by another product; - reads standard input',
};

const PRODUCTS = ['flagd', 'launchdarkly', 'unleash', 'growthbook'] as const;
type Product = (typeof PRODUCTS)[number];
const FORMATS = ['yaml', 'json', ...PRODUCTS];

const FILE_OPTIONS = {
  environment: 'For a file of another product with one environment: key of the environment to import into.',
  format: 'File format. Default: detected from the content.',
};

const exportCommand: Command = {
  name: 'export',
  summary: 'Export a project with all environments to one file',
  options: ['project', 'environment', 'format', 'output'],
  optionSummaries: {
    environment: 'Export only this environment, by key or id.',
    format: 'File format. Default yaml, or json with --json.',
  },
  notes: 'The file contains no ids and has a fixed order, for version control.',
  examples: ['export > flags.yaml', 'export --format flagd -e production -o flagd.json'],
  async run(session, { options }) {
    const format = options.format ?? (options.json === true ? 'json' : 'yaml');
    if (options.json === true && format === 'yaml')
      throw usageError('--json cannot be combined with --format yaml.');
    const api = session.api();
    const project = await findProject(session, api);
    const wanted = singleEnvironment(options.environment);
    const environment =
      wanted === undefined ? undefined : pick('environment', wanted, await listEnvironments(api, project));
    const { text, warnings } = await api.text('GET /projects/{project_id}/export', {
      params: { project_id: project.id },
      query: { format, environment_keys: environment?.key },
    });
    const whole = format === 'yaml' ? withNewline(text) : escapeControls(withNewline(text));
    if (options.output === undefined) session.terminal.out(whole);
    else writeDocument(options.output, whole);
    for (const warning of warnings) session.terminal.err(`Note: ${cellText(warning)}\n`);
  },
};

const importCommand: Command = {
  name: 'import',
  summary: 'Change a project to match a file, all or nothing',
  args: [FILE],
  options: ['project', 'environment', 'from', 'format', 'mode', 'yes', ...WRITE_OPTIONS],
  optionSummaries: {
    ...FILE_OPTIONS,
    from: 'Product that wrote the file. Default: detected from the content.',
  },
  optionValues: { from: PRODUCTS, format: FORMATS },
  notes:
    'It shows what would change and asks for confirmation. From a file of another product, it says what cannot be ' +
    'carried over; no rule ever reaches more users than before.',
  examples: [
    'import flags.yaml',
    'import flags.yaml --mode replace --yes -m "Release 12"',
    'import flags.json --from launchdarkly -e production --dry-run',
  ],
  async run(session, { args }) {
    if (session.options['dry-run'] === true) {
      const { api, request } = await prepare(session, args[0]!);
      const { headers, query } = changeOptions(session);
      const trial = { ...request, headers, query };
      const answer = await api
        .change('POST /projects/{project_id}/imports', trial)
        .catch(nameFileOf(request.body, args[0]!));
      await showChange(session, answer, (one) => renderImport(session, one));
      return;
    }
    const { api, project, planned } = await plan(session, args[0]!);
    refuseErrors(planned);
    if (countOf(planned) === 0) {
      session.show(planned, () => 'Nothing to do: the project already matches the file.\n');
      return;
    }
    if (session.options.json !== true) session.terminal.err(renderImport(session, planned) + restOf(planned));
    await confirm(session, {
      action: 'Apply these changes',
      name: `project ${project.key}`,
      target: { project },
    });
    const applied = await apply(session, api, planned);
    session.show(
      applied,
      () => `Imported: ${countOf(applied)} changed, ${applied.plan.unchanged} unchanged.\n`,
    );
  },
};

const diff: Command = {
  name: 'diff',
  summary: 'Compare a file with the project, or two environments',
  args: [{ ...FILE, isOptional: true }],
  options: ['project', 'environment', 'format', 'mode', 'from', 'to', 'exit-code'],
  optionSummaries: FILE_OPTIONS,
  optionValues: { format: FORMATS },
  examples: ['diff flags.yaml --exit-code', 'diff --from staging --to production'],
  async run(session, { args: [file], options }) {
    if (file === undefined) return diffEnvironments(session);
    if (options.from !== undefined || options.to !== undefined) {
      throw usageError('Compare either a file or two environments.');
    }
    const { planned } = await plan(session, file);
    refuseErrors(planned);
    session.show(planned.plan, () =>
      countOf(planned) === 0 ? 'No differences.\n' : renderImport(session, planned),
    );
    return options['exit-code'] === true && countOf(planned) > 0 ? 1 : 0;
  },
};

const withNewline = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

async function diffEnvironments(session: Session): Promise<number> {
  const { options } = session;
  const { from, to } = options;
  if (from === undefined || to === undefined) {
    throw usageError('Nothing to compare.', 'Name a file, or two environments with --from and --to.');
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
      ? 'No differences.\n'
      : session.table(
          different.flatMap(({ flag_key, state, changes }) => {
            const fields = Object.entries(changes);
            if (fields.length === 0) return [{ flag_key, field: state, from: '', to: '' }];
            // The API describes what a promotion would change: its `from` is the present value in the target, so `from`
            // and `to` are swapped here.
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
  const planned = await api
    .call('POST /projects/{project_id}/imports', request)
    .catch(nameFileOf(request.body, file));
  return { api, project, planned };
}

/** Rethrows an error. If the document is not even YAML, names file, line and column, because the server knows no file. */
const nameFileOf =
  ({ document }: { readonly document: string }, file: string) =>
  (error: unknown): never => {
    if (error instanceof CliError) parseDocument(document, file);
    throw error;
  };

async function prepare(session: Session, file: string) {
  const { options, terminal } = session;
  const document = await readDocument(terminal, file);
  const format = formatOf(options);
  const api = session.api();
  const project = await findProject(session, api);
  const body = {
    format,
    document,
    mode: options.mode,
    ...(options.environment !== undefined && { environment_keys: options.environment }),
    comment: options.comment,
  };
  return { api, project, request: { params: { project_id: project.id }, body } };
}

function writeDocument(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CliError(`Cannot write ${file}: ${(error as Error).message}.`, {
      code: 'FILE_UNWRITABLE',
    });
  }
}

/** The format that a person named; undefined: the server detects it. `from` names an environment for `diff`. */
function formatOf({ from, format }: Session['options']): Product | 'flagsvc' | undefined {
  if (format === 'yaml' || format === 'json') return 'flagsvc';
  return PRODUCTS.find((one) => one === (format ?? from));
}

const POLL_INTERVAL_MS = 500;

async function apply(session: Session, api: Api, { id }: Import): Promise<Import> {
  const { headers } = changeOptions(session);
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
  throw new CliError(`Import failed, nothing was changed: ${state.error?.message ?? state.status}`, {
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

/** An answer shows so many warnings; a file of another product can have more. */
const WARNINGS_SHOWN = 100;

const restOf = ({ plan: { warnings } }: Import): string =>
  warnings.slice(WARNINGS_SHOWN).map(warningText).join('');

/** A table of more changes would push the warnings and the question off the screen. */
const CHANGES_SHOWN = 200;

function renderImport(session: Session, { plan: planned }: Import): string {
  const rows = VERBS.flatMap((verb) =>
    NOUNS.flatMap((noun) => planned[verb][noun].map((key) => ({ verb, noun: noun.slice(0, -1), key }))),
  );
  const table = session.table(rows.slice(0, CHANGES_SHOWN), [
    { head: 'CHANGE', cell: ({ verb }) => verb },
    { head: 'TYPE', cell: ({ noun }) => noun },
    { head: 'KEY', cell: ({ key }) => key },
  ]);
  const rest = rows.length - CHANGES_SHOWN;
  const more = rest > 0 ? `${rest} more; diff <file> --json lists them all.\n` : '';
  return `${table}${more}${planned.unchanged} unchanged.\n`;
}

export const transferCommands: readonly Command[] = [exportCommand, importCommand, diff];
