import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { confirm } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import type { Api } from '../client/api.ts';
import type { Item } from '../client/document.ts';
import { readSecrets } from '../input/read-secrets.ts';
import { findProject, pick } from '../lookup/find.ts';
import { findOrganization } from '../lookup/find-member.ts';
import { withCommands } from '../output/shell-line.ts';
import type { Command } from '../session/command.ts';
import { commandLine } from '../session/command-line.ts';
import type { Session } from '../session/session.ts';

type Invitation = Item<'GET /organizations/{organization_id}/invitations'>;

const INVITATION = { name: 'invitation', summary: 'E-mail address or id of the invitation' };

const list: Command = {
  name: 'invitations list',
  alias: 'invitations',
  summary: 'List the open invitations',
  examples: ['invitations list'],
  async run(session) {
    const { invitations } = await listInvitations(session.api());
    session.show(invitations, () =>
      invitations.length === 0
        ? 'There are no open invitations.\n'
        : session.table(invitations, [
            { head: 'E-MAIL', cell: ({ email }) => email },
            { head: 'ROLE', cell: ({ role }) => role },
            { head: 'STATUS', cell: ({ status }) => status },
            { head: 'EXPIRES', cell: (one) => one.expires_at },
            { head: 'ID', cell: ({ id }) => id, isExtra: true },
          ]),
    );
  },
};

const create: Command = {
  name: 'invitations create',
  summary: 'Invite a person to the organization',
  args: [{ name: 'email', summary: 'E-mail address of the person' }],
  options: ['role', 'project', 'comment', 'dry-run'],
  optionSummaries: {
    role: 'Role of the person. Default viewer. With --project, the role applies only there; elsewhere the person is a viewer.',
    project: 'Project in which the person has the role.',
  },
  notes: 'If the server sends no e-mail, give the printed link to the person; it is shown only once.',
  examples: [
    'invitations create grace@example.com --role editor',
    'invitations create linus@example.com --role admin -p shop',
  ],
  async run(session, { args: [email], options }) {
    const api = session.api();
    const { id: organization_id } = await findOrganization(api);
    const role = options.role ?? 'viewer';
    const project = options.project === undefined ? undefined : await findProject(session, api);
    const { headers, query } = changeOptions(session);
    const answer = await api.change('POST /organizations/{organization_id}/invitations', {
      params: { organization_id },
      headers,
      query,
      body: {
        email: email!,
        role: project === undefined ? role : 'viewer',
        project_roles: project && [{ project_id: project.id, role }],
        comment: options.comment,
      },
    });
    await showChange(session, answer, (done) => invitedText(session, done));
  },
};

const resend: Command = {
  name: 'invitations resend',
  summary: 'Send an invitation again, with a new link',
  args: [INVITATION],
  options: ['comment', 'dry-run'],
  notes: 'The old link stops working.',
  examples: ['invitations resend grace@example.com'],
  async run(session, { args: [wanted] }) {
    const api = session.api();
    const params = await findInvitation(api, wanted!);
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await api.change(
      'POST /organizations/{organization_id}/invitations/{invitation_id}/resend',
      {
        params,
        headers,
        query,
      },
    );
    await showChange(session, answer, (done) => invitedText(session, done));
  },
};

const revoke: Command = {
  name: 'invitations revoke',
  summary: 'Revoke an invitation: its link stops working',
  args: [INVITATION],
  options: ['yes', 'comment', 'dry-run'],
  examples: ['invitations revoke grace@example.com'],
  async run(session, { args: [wanted] }) {
    const api = session.api();
    const params = await findInvitation(api, wanted!);
    await confirm(session, { action: `Revoke the invitation of ${wanted}`, name: 'the organization' });
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await api.change('DELETE /organizations/{organization_id}/invitations/{invitation_id}', {
      params,
      headers,
      query,
    });
    await showChange(
      session,
      answer ?? { id: params.invitation_id, status: 'revoked' },
      () => `Revoked the invitation of ${wanted}.\n`,
    );
  },
};

const accept: Command = {
  name: 'invitations accept',
  summary: 'Accept an invitation and choose a password',
  options: ['name', 'password-stdin'],
  optionSummaries: {
    name: 'Your name.',
    'password-stdin': 'Read the link or its token, and the password, from standard input, one a line.',
  },
  notes:
    'It asks for the link, or the token in it, and for a password. People who have an account leave the password empty.',
  examples: ['invitations accept --name "Grace Hopper"'],
  async run(session, { options }) {
    const [link, password] = await readSecrets(session, ['Link or token of the invitation', 'Password']);
    const done = await session.apiWith({}).call('POST /auth/invitations/accept', {
      body: {
        token: tokenOf(link!),
        password: password === '' ? undefined : password,
        full_name: options.name,
      },
    });
    const login = commandLine(session, ['login', '--email', done.email]);
    session.show(done, () => `${withCommands(`Welcome, ${done.email}, ${done.role}. To log in:`, login)}\n`);
  },
};

/** The token in a link, whether after `token=` or at the end. */
function tokenOf(link: string): string {
  return /[?&#]token=([^&#]+)/.exec(link)?.[1] ?? link.trim().split('/').at(-1)!;
}

function invitedText(
  session: Session,
  done: Invitation & { readonly accept_url?: string; readonly is_mailed?: boolean },
) {
  const { email, expires_at, accept_url: link } = done;
  const mailed = done.is_mailed === true ? ' An e-mail with the link is on its way.' : '';
  session.terminal.err(
    `Invited ${email} until ${expires_at}.${mailed}${link === undefined ? '' : ' The link, which is not shown again:'}\n`,
  );
  return link === undefined ? '' : `${link}\n`;
}

async function listInvitations(api: Api) {
  const { id: organization_id } = await findOrganization(api);
  const params = { organization_id };
  return {
    params,
    invitations: await api.all('GET /organizations/{organization_id}/invitations', { params }),
  };
}

async function findInvitation(api: Api, wanted: string) {
  const { params, invitations } = await listInvitations(api);
  const named = invitations.map(({ id, email }) => ({ id, key: email }));
  return { ...params, invitation_id: pick('invitation', wanted, named).id };
}

export const invitationCommands: readonly Command[] = [list, create, resend, revoke, accept];
