import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { confirm } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import { findProject } from '../lookup/find.ts';
import type { Command } from '../session/command.ts';

const TAG = { name: 'tag', summary: 'Tag of flags or segments' };

const list: Command = {
  name: 'tags list',
  alias: 'tags',
  summary: 'List the tags of a project',
  options: ['project'],
  examples: ['tags list'],
  async run(session) {
    const api = session.api();
    const project = await findProject(session, api);
    const tags = await api.all('GET /projects/{project_id}/tags', { params: { project_id: project.id } });
    session.show(tags, () =>
      tags.length === 0
        ? `Project ${project.key} has no tags.\n`
        : session.table(tags, [
            { head: 'TAG', cell: ({ tag }) => tag },
            { head: 'FLAGS', cell: (one) => one.flags_count, align: 'right' },
            { head: 'SEGMENTS', cell: (one) => one.segments_count, align: 'right' },
          ]),
    );
  },
};

const rename: Command = {
  name: 'tags rename',
  summary: 'Rename a tag on all flags and segments of a project',
  args: [TAG, { name: 'name', summary: 'New name; an existing tag merges the two' }],
  options: ['project', 'comment', 'dry-run'],
  examples: ['tags rename chekout checkout'],
  async run(session, { args: [tag, name], options }) {
    const api = session.api();
    const project = await findProject(session, api);
    const { headers, query } = changeOptions(session);
    const answer = await api.change('PATCH /projects/{project_id}/tags/{tag}', {
      params: { project_id: project.id, tag: tag! },
      headers,
      query,
      body: { name: name!, comment: options.comment },
    });
    await showChange(session, answer, () => `Renamed ${tag} to ${name}.\n`);
  },
};

const remove: Command = {
  name: 'tags delete',
  summary: 'Remove a tag from all flags and segments of a project',
  args: [TAG],
  options: ['project', 'yes', 'comment', 'dry-run'],
  examples: ['tags delete campaign-2025'],
  async run(session, { args: [tag] }) {
    const api = session.api();
    const project = await findProject(session, api);
    await confirm(session, {
      action: `Delete tag ${tag}`,
      name: `project ${project.key}`,
      target: { project },
    });
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await api.change('DELETE /projects/{project_id}/tags/{tag}', {
      params: { project_id: project.id, tag: tag! },
      headers,
      query,
    });
    await showChange(session, answer ?? { tag, status: 'deleted' }, () => `Deleted tag ${tag}.\n`);
  },
};

export const tagCommands: readonly Command[] = [list, rename, remove];
