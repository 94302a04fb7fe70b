import { changeOptions } from '../changes/change-options.ts';
import { confirm } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import type { Data } from '../client/document.ts';
import type { OptionValues } from '../input/options.ts';
import { parseCount } from '../input/values.ts';
import { findOrganization } from '../lookup/find-member.ts';
import { usageError } from '../output/errors.ts';
import { renderFields } from '../output/table.ts';
import type { Command } from '../session/command.ts';

type Organization = Data<'GET /organizations/{organization_id}'>;

const get: Command = {
  name: 'organization get',
  alias: 'organization',
  summary: 'Show the organization and its rules for members',
  examples: ['organization get'],
  async run(session) {
    const api = session.api();
    const { id: organization_id } = await findOrganization(api);
    const found = await api.call('GET /organizations/{organization_id}', { params: { organization_id } });
    session.show(found, () => render(found));
  },
};

const update: Command = {
  name: 'organization update',
  summary: 'Change the name of the organization or its rules for members',
  options: ['name', 'require-mfa', 'session-hours', 'allow-domain', 'role', 'yes', 'comment', 'dry-run'],
  optionSummaries: { name: 'New name.', role: 'Role of people who join without an invitation.' },
  examples: [
    'organization update --require-mfa',
    'organization update --allow-domain example.com --session-hours 72',
  ],
  async run(session, { options }) {
    const settings = settingsOf(options);
    if (options.name === undefined && Object.keys(settings).length === 0) {
      throw usageError(
        'Nothing to change.',
        'Name at least one of --name, --require-mfa, --session-hours or --allow-domain.',
      );
    }
    const api = session.api();
    const { id: organization_id, name } = await findOrganization(api);
    await confirm(session, { action: 'Change the rules for all members', name });
    const { headers, query } = changeOptions(session);
    const answer = await api.change('PATCH /organizations/{organization_id}', {
      params: { organization_id },
      headers,
      query,
      body: {
        name: options.name,
        settings: Object.keys(settings).length === 0 ? undefined : settings,
        comment: options.comment,
      },
    });
    await showChange(session, answer, render);
  },
};

function settingsOf(options: OptionValues): Partial<Organization['settings']> {
  const { 'require-mfa': require_mfa, 'session-hours': hours, 'allow-domain': domains, role } = options;
  return {
    ...(require_mfa !== undefined && { require_mfa }),
    ...(hours !== undefined && {
      session_max_hours: hours === 'none' ? null : parseCount('--session-hours', hours, 1),
    }),
    ...(domains !== undefined && { allowed_email_domains: domains.includes('none') ? [] : [...domains] }),
    ...(role !== undefined && { default_member_role: role }),
  };
}

function render({ name, slug, plan, status, settings, id }: Organization): string {
  return renderFields([
    ['organization', name],
    ['slug', slug],
    ['plan', plan],
    ['status', status],
    ['second factor required', settings.require_mfa],
    ['session hours', settings.session_max_hours],
    ['e-mail domains', settings.allowed_email_domains.join(', ')],
    ['role of new members', settings.default_member_role],
    [
      'audit log kept',
      settings.audit_retention_days === null ? 'for ever' : `${settings.audit_retention_days} days`,
    ],
    ['id', id],
  ]);
}

export const organizationCommands: readonly Command[] = [get, update];
