import { FLAG_KEY } from '../input/arguments.ts';
import { READ_ENVIRONMENT } from '../input/options.ts';
import { parseCount } from '../input/values.ts';
import { findFlag, findProject, findTarget } from '../lookup/find.ts';
import { usageError } from '../output/errors.ts';
import type { Command } from '../session/command.ts';

const metrics: Command = {
  name: 'flags metrics',
  summary: 'Show how often each variation of a flag was served, by day',
  args: [FLAG_KEY],
  options: ['project', 'environment'],
  optionSummaries: { environment: READ_ENVIRONMENT },
  notes: 'SDKs report their counts every minute or so.',
  examples: ['flags metrics new-checkout -e production'],
  async run(session, { args: [key] }) {
    const target = await findTarget(session, { useDefault: true });
    const flag = await findFlag(session, target, key!);
    const found = await target.api.call('GET /flags/{flag_id}/metrics', {
      params: { flag_id: flag.id },
      query: { environment_id: target.environment.id },
    });
    const where = `${flag.key} in ${target.environment.key}`;
    session.show(found, () =>
      found.counts.length === 0
        ? `${where} was not evaluated since ${found.since}.\n`
        : `${where}: ${found.total} evaluations since ${found.since}.\n\n${session.table(found.counts, [
            { head: 'DAY', cell: ({ date }) => date },
            { head: 'VARIATION', cell: (one) => one.variation_key },
            { head: 'REASON', cell: ({ reason }) => reason },
            { head: 'COUNT', cell: ({ count }) => count, align: 'right' },
          ])}`,
    );
  },
};

const search: Command = {
  name: 'search',
  summary: 'Find flags and segments by key, name or description',
  args: [{ name: 'text', summary: 'Text to find', isMany: true }],
  options: ['project', 'limit'],
  optionSummaries: { project: 'Only in this project. Default: all projects.' },
  examples: ['search checkout'],
  async run(session, { args, options }) {
    const api = session.api();
    const text = args.join(' ').trim();
    if (text === '') throw usageError('No text is given.');
    const project = options.project === undefined ? undefined : await findProject(session, api);
    const query = { q: text, project_id: project?.id };
    const found = await api.all('GET /search', { query }, parseCount('--limit', options.limit, 50));
    const projects = new Map((await api.all('GET /projects', {})).map(({ id, key }) => [id, key]));
    session.show(found, () =>
      found.length === 0
        ? `Nothing matches "${text}".\n`
        : session.table(found, [
            { head: 'TYPE', cell: ({ type }) => type },
            { head: 'KEY', cell: ({ key }) => key },
            { head: 'NAME', cell: ({ name }) => name },
            { head: 'PROJECT', cell: (one) => projects.get(one.project_id) },
          ]),
    );
  },
};

export const flagUsageCommands: readonly Command[] = [metrics];
export const searchCommands: readonly Command[] = [search];
