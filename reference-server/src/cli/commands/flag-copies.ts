import { changeOptions } from '../changes/change-options.ts';
import { confirmIn } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import type { Request } from '../client/document.ts';
import { FLAG_KEY } from '../input/arguments.ts';
import { parseDocument, readDocument, unusableFile } from '../input/read-file.ts';
import { findFlag, findTarget, listProjects, pick } from '../lookup/find.ts';
import { renderFlag } from '../output/render-flag.ts';
import { type Command, WRITE_OPTIONS } from '../session/command.ts';

type Body = Request<'PUT /projects/{project_id}/flags/by-key/{key}'>['body'];

const clone: Command = {
  name: 'flags clone',
  summary: 'Copy a flag with its rules under a new key',
  args: [FLAG_KEY, { name: 'key', summary: 'Key of the copy' }],
  options: ['project', 'to-project', 'name', ...WRITE_OPTIONS],
  optionSummaries: { name: 'Display name of the copy. Default: that of the flag.' },
  notes: 'The copy is turned off in every environment.',
  examples: [
    'flags clone new-checkout newer-checkout',
    'flags clone new-checkout new-checkout --to-project shop',
  ],
  async run(session, { args: [key, copy], options }) {
    const target = await findTarget(session, { useDefault: true });
    const flag = await findFlag(session, target, key!);
    const wanted = options['to-project'];
    const other = wanted === undefined ? undefined : pick('project', wanted, await listProjects(target.api));
    const { headers, query } = changeOptions(session);
    const answer = await target.api.change('POST /flags/{flag_id}/clone', {
      params: { flag_id: flag.id },
      headers,
      query: { ...query, environment_id: target.environment.id },
      body: { key: copy!, name: options.name, target_project_id: other?.id, comment: options.comment },
    });
    const where = other === undefined ? '' : ` in project ${other.key}`;
    await showChange(session, answer, (done) => `Copied ${flag.key} to ${done.flag.key}${where}.\n`);
  },
};

const put: Command = {
  name: 'flags put',
  summary: 'Create or replace a flag with the content of a file, in one environment',
  args: [
    FLAG_KEY,
    { name: 'file', summary: 'YAML or JSON file in the form of flags get --json; - reads standard input' },
  ],
  options: ['project', 'environment', 'yes', ...WRITE_OPTIONS],
  notes:
    'Fields that the file lacks get their defaults. To change single things, use flags update, rules and variations.',
  examples: [
    'flags get new-checkout --json > flag.json',
    'flags put new-checkout flag.json -e staging --dry-run',
  ],
  async run(session, { args: [key, file], options }) {
    const target = await findTarget(session, { useDefault: false });
    const body = parseFlag(await readDocument(session.terminal, file!), file!);
    await confirmIn(session, target, `Replace ${key}`);
    const { headers, query } = changeOptions(session);
    const answer = await target.api.change('PUT /projects/{project_id}/flags/by-key/{key}', {
      params: { project_id: target.project.id, key: key! },
      headers,
      query: { ...query, environment_id: target.environment.id },
      body: { ...body, comment: options.comment },
    });
    await showChange(session, answer, (done) =>
      renderFlag(done, target.environment.key, session.terminal.columns),
    );
  },
};

/** Fields of an answer that a request must not contain. */
const READ_ONLY = [
  'id',
  'key',
  'status',
  'environment_id',
  'project_id',
  'last_evaluated_at',
  'stale_reasons',
  'stale_since',
  'archived_at',
  'revision',
  'created_at',
  'updated_at',
] as const;

function parseFlag(text: string, file: string): Body {
  const value = parseDocument(text, file);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unusableFile(`${file} contains no flag.`);
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => !(READ_ONLY as readonly string[]).includes(name)),
  ) as unknown as Body;
}

export const flagCopyCommands: readonly Command[] = [clone, put];
