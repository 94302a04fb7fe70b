import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { confirm } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import { findProject, listEnvironments, pick } from '../lookup/find.ts';
import { findMember, findOrganization, type Member } from '../lookup/find-member.ts';
import { createKeyLookup, mapInSequence } from '../lookup/key-lookup.ts';
import { usageError } from '../output/errors.ts';
import type { Command } from '../session/command.ts';

const MEMBER = { name: 'member', summary: 'E-mail address, name or user id of the member' };

const list: Command = {
  name: 'members list',
  alias: 'members',
  summary: 'List the members of the organization',
  examples: ['members list'],
  async run(session, { options }) {
    const api = session.api();
    const { id: organization_id } = await findOrganization(api);
    const members = await api.all('GET /organizations/{organization_id}/members', {
      params: { organization_id },
    });
    const keys = createKeyLookup(api);
    const rows =
      options.json === true
        ? []
        : await mapInSequence(members, async (member) => {
            const projects = await keys.projects(member.project_roles.map((one) => one.project_id));
            return {
              ...member,
              projects: member.project_roles
                .map(({ role }, index) => `${projects[index]}: ${role}`)
                .join(', '),
              limits: (await keys.environmentPaths(member.environment_ids ?? [])).join(', '),
            };
          });
    session.show(members, () =>
      session.table(rows, [
        { head: 'E-MAIL', cell: ({ user }) => user.email },
        { head: 'NAME', cell: ({ user }) => user.full_name },
        { head: 'ROLE', cell: ({ role }) => role },
        { head: 'IN PROJECTS', cell: ({ projects }) => projects },
        { head: 'ONLY IN', cell: ({ limits }) => limits },
        { head: 'SECOND FACTOR', cell: (one) => one.mfa_enabled },
        { head: 'LAST ACTIVE', cell: (one) => one.last_active_at },
      ]),
    );
  },
};

const update: Command = {
  name: 'members update',
  summary: 'Change the role of a member, in the organization or in one project',
  args: [MEMBER],
  options: ['role', 'project', 'environment', 'all', 'yes', 'comment', 'dry-run'],
  optionSummaries: {
    role: 'New role. With --project, the role applies only there.',
    project: 'Project in which the role applies, or that contains the environments.',
    environment: 'Limit the changes of the member to this environment; repeatable.',
    all: 'Lift the limit to environments.',
  },
  examples: [
    'members update grace@example.com --role editor',
    'members update grace@example.com --role admin -p shop',
    'members update grace@example.com -e development -e staging',
  ],
  async run(session, { args: [wanted], options }) {
    const { role, project: named, environment, all } = options;
    if (role === undefined && environment === undefined && all !== true) {
      throw usageError('Nothing to change.', 'Name at least one of --role, --environment or --all.');
    }
    const api = session.api();
    const member = await findMember(api, wanted!);
    const name = 'the organization';
    await confirm(session, { action: `Change the rights of ${member.user.email}`, name });
    const { headers, query } = changeOptions(session);
    const params = { user_id: member.user.id };
    if (role !== undefined && named !== undefined && environment === undefined && all !== true) {
      const project = await findProject(session, api);
      const answer = await api.change('PUT /projects/{project_id}/members/{user_id}', {
        params: { ...params, project_id: project.id },
        headers,
        query,
        body: { role, comment: options.comment },
      });
      await showChange(
        session,
        answer,
        () => `${member.user.email} is now ${role} of project ${project.key}.\n`,
      );
      return;
    }
    const { id: organization_id } = await findOrganization(api);
    const environments = environment && (await listEnvironments(api, await findProject(session, api)));
    const limits = environment?.map((one) => pick('environment', one, environments!).id);
    const answer = await api.change('PATCH /organizations/{organization_id}/members/{user_id}', {
      params: { ...params, organization_id },
      headers: { ...headers, 'if-match': `"${member.revision}"` },
      query,
      body: { role, environment_ids: all === true ? null : limits, comment: options.comment },
    });
    await showChange(session, answer, describe);
  },
};

function describe({ user, role, environment_ids: ids }: Member): string {
  const limit =
    ids === null
      ? ''
      : `, with changes only in ${ids.length} ${ids.length === 1 ? 'environment' : 'environments'}`;
  return `${user.email} is now ${role}${limit}.\n`;
}

const removeRole: Command = {
  name: 'members remove-project-role',
  summary: 'Take the role that a member has in one project; the one in the organization remains',
  args: [MEMBER],
  options: ['project', 'comment', 'dry-run'],
  examples: ['members remove-project-role grace@example.com -p shop'],
  async run(session, { args: [wanted] }) {
    const api = session.api();
    const project = await findProject(session, api);
    const { user } = await findMember(api, wanted!);
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await api.change('DELETE /projects/{project_id}/members/{user_id}', {
      params: { project_id: project.id, user_id: user.id },
      headers,
      query,
    });
    await showChange(
      session,
      answer ?? { user_id: user.id, status: 'removed' },
      () => `${user.email} has no own role in project ${project.key} any more.\n`,
    );
  },
};

const remove: Command = {
  name: 'members remove',
  summary: 'Remove a member: the account, its sessions and its tokens stop working',
  args: [MEMBER],
  options: ['yes', 'comment', 'dry-run'],
  notes: 'It needs a login within the last 5 minutes: see account reauthenticate.',
  examples: ['members remove grace@example.com'],
  async run(session, { args: [wanted] }) {
    const api = session.api();
    const { user } = await findMember(api, wanted!);
    const { id: organization_id } = await findOrganization(api);
    await confirm(session, { action: `Remove ${user.email}`, name: 'the organization', typed: user.email });
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await api.change('DELETE /organizations/{organization_id}/members/{user_id}', {
      params: { organization_id, user_id: user.id },
      headers,
      query,
    });
    await showChange(
      session,
      answer ?? { user_id: user.id, status: 'removed' },
      () => `Removed ${user.email}.\n`,
    );
  },
};

const resetMfa: Command = {
  name: 'members reset-mfa',
  summary: 'Remove the second factor of a member who lost it',
  args: [MEMBER],
  options: ['yes', 'comment', 'dry-run'],
  notes: 'Make sure that it is really this person who asks. It needs a login within the last 5 minutes.',
  examples: ['members reset-mfa grace@example.com -m "Lost her phone; identified by video call"'],
  async run(session, { args: [wanted], options }) {
    const api = session.api();
    const { user } = await findMember(api, wanted!);
    const { id: organization_id } = await findOrganization(api);
    await confirm(session, {
      action: `Remove the second factor of ${user.email}`,
      name: 'the organization',
      typed: user.email,
    });
    const { headers, query } = changeOptions(session);
    const answer = await api.change('POST /organizations/{organization_id}/members/{user_id}/reset-mfa', {
      params: { organization_id, user_id: user.id },
      headers,
      query,
      body: { comment: options.comment },
    });
    await showChange(
      session,
      answer ?? { user_id: user.id, status: 'reset' },
      () => `${user.email} can set up a new second factor.\n`,
    );
  },
};

export const memberCommands: readonly Command[] = [list, update, removeRole, remove, resetMfa];
