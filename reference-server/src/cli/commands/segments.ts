import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { confirmEverywhere } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import type { Api } from '../client/api.ts';
import type { Data, Project } from '../client/document.ts';
import { parseConditions } from '../input/conditions.ts';
import { parseContext } from '../input/context.ts';
import { expandLists } from '../input/read-file.ts';
import { parseRevision } from '../input/values.ts';
import { findProject, listEnvironments, pick } from '../lookup/find.ts';
import { createKeyLookup, mapInSequence } from '../lookup/key-lookup.ts';
import { renderConditions } from '../output/condition-words.ts';
import { usageError } from '../output/errors.ts';
import { renderFields } from '../output/table.ts';
import { type Command, WRITE_OPTIONS } from '../session/command.ts';
import type { Session } from '../session/session.ts';

type Segment = Data<'GET /segments/{segment_id}'>;

const KEY = { name: 'segment', summary: 'Key of the segment' };
const LISTS = ['when', 'include', 'exclude'] as const;

const list: Command = {
  name: 'segments list',
  alias: 'segments',
  summary: 'List the segments of a project',
  options: ['project'],
  examples: ['segments list'],
  async run(session) {
    const api = session.api();
    const project = await findProject(session, api);
    const found = await listSegments(api, project);
    session.show(found, () =>
      found.length === 0
        ? `Project ${project.key} has no segments.\n`
        : session.table(found, [
            { head: 'SEGMENT', cell: ({ key }) => key },
            { head: 'NAME', cell: ({ name }) => name },
            { head: 'WHEN', cell: (one) => (one.conditions.length === 0 ? '-' : renderConditions(one)) },
            { head: 'INCLUDED', cell: (one) => one.included_count, align: 'right' },
            { head: 'EXCLUDED', cell: (one) => one.excluded_count, align: 'right' },
            { head: 'USED BY', cell: (one) => one.usage_count, align: 'right' },
          ]),
    );
  },
};

const get: Command = {
  name: 'segments get',
  summary: 'Show a segment and the flags that use it',
  args: [KEY],
  options: ['project'],
  examples: ['segments get beta-testers'],
  async run(session, { args: [key] }) {
    const { api, segment } = await findSegment(session, key!);
    const usage = await api.all('GET /segments/{segment_id}/usage', { params: { segment_id: segment.id } });
    const keys = createKeyLookup(api);
    const rows = await mapInSequence(usage, async (one) => ({
      ...one,
      environment: await keys.environment(one.environment_id),
    }));
    session.show({ ...segment, usage }, () => {
      const used = session.table(rows, [
        { head: 'USED BY FLAG', cell: (one) => one.flag_key },
        { head: 'ENVIRONMENT', cell: ({ environment }) => environment },
        { head: 'RULES', cell: (one) => one.rule_ids.length, align: 'right' },
      ]);
      return `${renderSegment(segment)}\n${rows.length === 0 ? 'No flag uses it.\n' : used}`;
    });
  },
};

const create: Command = {
  name: 'segments create',
  summary: 'Create a segment: a named group of users that several rules share',
  args: [{ ...KEY, summary: 'Key of the new segment: lowercase letters, digits and hyphens' }],
  options: ['project', 'name', 'description', ...LISTS, 'tag', 'comment', 'dry-run'],
  optionSummaries: { description: 'Purpose of the segment.', tag: 'Tag of the segment; repeatable.' },
  notes:
    'A user is in the segment if all conditions hold or the user is included, unless the user is excluded.',
  examples: [
    'segments create beta-testers --when "group is beta" --include ada --include grace',
    'segments create vips --include @vips.txt',
  ],
  async run(session, { args: [key], options }) {
    const api = session.api();
    const project = await findProject(session, api);
    const { headers, query } = changeOptions(session);
    const answer = await api.change('POST /projects/{project_id}/segments', {
      params: { project_id: project.id },
      headers,
      query,
      body: {
        key: key!,
        name: options.name ?? key!,
        description: options.description,
        conditions: parseConditions(options) ?? [],
        included: [...expandLists(options.include)],
        excluded: [...expandLists(options.exclude)],
        tags: options.tag === undefined ? undefined : [...options.tag],
        comment: options.comment,
      },
    });
    await showChange(session, answer, (done) => `Created segment ${done.key}.\n\n${renderSegment(done)}`);
  },
};

const update: Command = {
  name: 'segments update',
  summary: 'Change the conditions, users or name of a segment',
  args: [KEY],
  options: ['project', 'name', 'description', ...LISTS, 'forget', 'everyone', 'yes', ...WRITE_OPTIONS],
  optionSummaries: {
    name: 'New display name.',
    description: 'New description.',
    everyone: 'Remove all conditions; only included users remain.',
  },
  notes:
    'New conditions replace all conditions; --include and --exclude add to the lists. It affects every environment.',
  examples: [
    'segments update beta-testers --include linus --forget grace',
    'segments update beta-testers --when "group one_of beta,staff" --dry-run',
  ],
  async run(session, { args: [key], options }) {
    const conditions = parseConditions(options);
    const found = await findSegment(session, key!);
    const { segment } = found;
    const lists = changedLists(session, segment);
    const body = { name: options.name, description: options.description, conditions, ...lists };
    if (Object.values(body).every((value) => value === undefined)) {
      throw usageError(
        'Nothing to change.',
        'Name at least one of --when, --include, --exclude, --forget or --name.',
      );
    }
    await confirmReach(session, found, `Change segment ${segment.key}`);
    const { headers, query } = changeOptions(session);
    const answer = await found.api.change('PUT /segments/{segment_id}', {
      params: { segment_id: segment.id },
      headers: { ...headers, 'if-match': `"${segment.revision}"` },
      query,
      body: { ...body, comment: options.comment },
    });
    await showChange(session, answer, renderSegment);
  },
};

/** The new lists of users; undefined where nothing changes. */
function changedLists({ options }: Session, { included, excluded }: Segment) {
  const [include, exclude, forget] = [options.include, options.exclude, options.forget].map(expandLists);
  const without = (users: readonly string[], gone: readonly string[]) => {
    const ended = new Set(gone);
    return users.filter((one) => !ended.has(one));
  };
  const merge = (old: readonly string[], more: readonly string[], gone: readonly string[]) => [
    ...new Set([...without(old, gone), ...more]),
  ];
  if (include!.length + exclude!.length + forget!.length === 0) return {};
  return {
    included:
      included === null && include!.length === 0
        ? null
        : merge(included ?? [], include!, [...exclude!, ...forget!]),
    excluded: merge(excluded, exclude!, [...include!, ...forget!]),
  };
}

const remove: Command = {
  name: 'segments delete',
  summary: 'Delete a segment that no flag uses',
  args: [KEY],
  options: ['project', 'yes', ...WRITE_OPTIONS],
  notes: 'If a flag still uses it, the error names the flags.',
  examples: ['segments delete beta-testers'],
  async run(session, { args: [key] }) {
    const found = await findSegment(session, key!);
    const { segment } = found;
    await confirmReach(session, found, `Delete segment ${segment.key}`);
    const { headers, query } = bodilessChangeOptions(session);
    const params = { segment_id: segment.id };
    const answer = await found.api.change('DELETE /segments/{segment_id}', { params, headers, query });
    await showChange(
      session,
      answer ?? { id: segment.id, status: 'deleted' },
      () => `Deleted segment ${segment.key}.\n`,
    );
  },
};

const revert: Command = {
  name: 'segments revert',
  summary: 'Restore a segment as it was at a revision',
  args: [
    KEY,
    { name: 'revision', summary: 'Number of the revision, from audit tail --resource <id> --json' },
  ],
  options: ['project', 'yes', ...WRITE_OPTIONS],
  examples: ['segments revert beta-testers 2 --dry-run'],
  async run(session, { args: [key, number], options }) {
    const found = await findSegment(session, key!);
    const revision = parseRevision(number!);
    await confirmReach(
      session,
      found,
      `Restore segment ${found.segment.key} as it was at revision ${number}`,
    );
    const { headers, query } = changeOptions(session);
    const answer = await found.api.change('POST /segments/{segment_id}/revisions/{revision}/restore', {
      params: { segment_id: found.segment.id, revision },
      headers,
      query,
      body: { comment: options.comment },
    });
    await showChange(session, answer, (done) => `Restored revision ${number}.\n\n${renderSegment(done)}`);
  },
};

const test: Command = {
  name: 'segments test',
  summary: 'Show whether a user is in a segment, and why',
  args: [KEY],
  options: ['project', 'user', 'attribute', 'context'],
  examples: ['segments test beta-testers --user ada -a group=beta'],
  async run(session, { args: [key], options }) {
    const { api, segment } = await findSegment(session, key!);
    const context = parseContext(options);
    const params = { segment_id: segment.id };
    const tested = await api.call('POST /segments/{segment_id}/test', { params, body: { context } });
    session.show(tested, () => {
      const head = `${options.user} is ${tested.matches ? '' : 'not '}in ${segment.key}${whyOf(tested)}.\n`;
      if (tested.conditions.length === 0) return head;
      return `${head}\n${session.table(tested.conditions, [
        { head: 'CONDITION', cell: (one) => renderConditions({ conditions: [one] }) },
        { head: 'HOLDS', cell: ({ matched }) => matched },
      ])}`;
    });
  },
};

function whyOf({ included, excluded }: { readonly included: boolean; readonly excluded: boolean }): string {
  if (excluded) return ': the user is excluded by name';
  return included ? ': the user is included by name' : '';
}

interface Found {
  readonly api: Api;
  readonly project: Project;
  readonly segment: Segment;
}

async function findSegment(session: Session, key: string): Promise<Found> {
  const api = session.api();
  const project = await findProject(session, api);
  const { id } = pick('segment', key, await listSegments(api, project));
  const segment = await api.call('GET /segments/{segment_id}', { params: { segment_id: id } });
  return { api, project, segment };
}

function listSegments(api: Api, project: Project) {
  return api.all('GET /projects/{project_id}/segments', { params: { project_id: project.id } });
}

/** A segment that flags use changes what they serve in every environment. */
async function confirmReach(
  session: Session,
  { api, project, segment }: Found,
  action: string,
): Promise<void> {
  if (segment.usage_count === 0) return;
  await confirmEverywhere(session, { project, environments: await listEnvironments(api, project) }, action);
}

function renderSegment(segment: Segment): string {
  const { conditions, included, excluded } = segment;
  return renderFields([
    ['segment', segment.key],
    ['name', segment.name],
    ['description', segment.description],
    ['when', conditions.length === 0 ? undefined : renderConditions(segment)],
    ['included', included?.join(', ')],
    ['excluded', excluded.join(', ')],
    ['tags', segment.tags.join(', ')],
    ['revision', segment.revision],
    ['id', segment.id],
  ]);
}

export const segmentCommands: readonly Command[] = [list, get, create, update, remove, revert, test];
