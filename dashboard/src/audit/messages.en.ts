import { plural } from '../i18n/plural.ts';

const nouns: Readonly<Record<string, string>> = {
  flag: 'flag',
  segment: 'segment',
  environment: 'environment',
  project: 'project',
  api_key: 'API key',
  freeze_window: 'freeze',
  break_glass: 'break-glass session',
  webhook: 'webhook',
  member: 'member',
  invitation: 'invitation',
  scheduled_change: 'planned change',
  service_account: 'service account',
  organization: 'organization',
  import: 'import',
  user: 'account',
};

export const en = {
  title: 'Changes',
  intro: 'Each change, with the person who made it. Nobody can edit or remove what is here.',
  search: 'Key, person or comment',
  resource: 'Of',
  anyResource: 'All of the project',
  allProjects: 'In all projects',
  nouns,
  via: {
    api: 'by the API',
    dashboard: 'here',
    cli: 'by the command line',
    mcp: 'by an agent',
    schedule: 'as planned',
    import: 'by an import',
    bulk: 'with others',
    system: 'by itself',
  },
  columns: { what: 'What', who: 'Who', where: 'Where', when: 'When' },
  count: (total: number) => plural(total, { one: '# change', other: '# changes' }),
  system: 'flagsvc',
  /** `flag.toggled` of `checkout` is "Flag toggled". */
  action: (noun: string, verb: string) => {
    const words = `${nouns[noun] ?? noun.replaceAll('_', ' ')} ${verb.replaceAll('_', ' ')}`;
    return words.charAt(0).toUpperCase() + words.slice(1);
  },
  emptyTitle: 'No changes yet',
  empty: 'Each change of a flag, a rule or a setting will be here, with the person who made it.',
  nothingTitle: 'Nothing fits these filters',
  nothing: 'Search for a part of a key, or look at everything.',
  clear: 'Clear all filters',
  brokeGlass: 'Broke glass',
  export: 'Export',
  exportName: (project: string) => `changes-${project}.json`,
  link: 'Link to this change',
  details: 'Change',
  comment: 'Comment',
  by: 'By',
  how: 'How',
  at: 'At',
  request: 'Request',
  address: 'Address',
  noFields: 'This change has no fields to compare.',
};
