import { findProject, listEnvironments } from '../lookup/find.ts';
import { renderTable } from '../output/table.ts';
import type { Command } from '../session/command.ts';

const projects: Command = {
  name: 'projects',
  summary: 'List the projects',
  async run(session) {
    const found = await session.api().all('GET /projects', {});
    session.show(found, () =>
      renderTable(found, [
        { head: 'KEY', cell: ({ key }) => key },
        { head: 'NAME', cell: ({ name }) => name },
        { head: 'ENVIRONMENTS', cell: (project) => project.environments_count, align: 'right' },
        { head: 'FLAGS', cell: (project) => project.flags_count, align: 'right' },
        { head: 'ID', cell: ({ id }) => id },
      ]),
    );
  },
};

const environments: Command = {
  name: 'environments',
  summary: 'List the environments of a project',
  options: ['project'],
  async run(session) {
    const api = session.api();
    const project = await findProject(session, api);
    const found = await listEnvironments(api, project);
    session.show(found, () =>
      renderTable(found, [
        { head: 'KEY', cell: ({ key }) => key },
        { head: 'NAME', cell: ({ name }) => name },
        { head: 'TYPE', cell: ({ type }) => type },
        { head: 'CRITICAL', cell: ({ critical }) => critical },
        { head: 'CONFIRM', cell: (environment) => environment.confirm_changes },
        { head: 'RULESET', cell: (environment) => environment.ruleset_version, align: 'right' },
        { head: 'ID', cell: ({ id }) => id },
      ]),
    );
  },
};

export const projectCommands: readonly Command[] = [projects, environments];
