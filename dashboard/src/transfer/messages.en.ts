import { formatNumber } from '../i18n/format-number.ts';
import { plural } from '../i18n/plural.ts';

const changes = (count: number) => plural(count, { one: '# change', other: '# changes' });

export const en = {
  title: 'Import and export',
  settings: 'Settings',
  intro: (project: string) => `${project} as one file: for version control, another server, or a copy.`,
  cancel: 'Cancel',
  export: {
    title: 'Export',
    has: 'In the file: flags with their rules in every environment, segments with their lists of keys, environments, and settings of the project.',
    hasNot: 'Not in it: API keys, webhooks and their secrets, people, history, freezes and planned changes.',
    format: 'Format',
    formats: { yaml: 'flagsvc, as YAML', json: 'flagsvc, as JSON', flagd: 'flagd, one environment' },
    environment: 'Environment',
    all: 'All environments',
    action: 'Download',
    done: (file: string) => `${file} downloaded`,
    lossTitle: (count: number) =>
      plural(count, { one: 'flagd cannot express # thing', other: 'flagd cannot express # things' }),
    loss: 'The file never serves a rule to more users than this server does. Left out or changed:',
    losses: {
      'rule-left-out': 'Rule left out',
      'rule-cut': 'Rules after this one cut',
      'rule-narrowed': 'Rule reaches fewer users',
      'rollouts-reach-other-users': 'Rollout reaches other users, in the same share',
      'prerequisites-left-out': 'Prerequisites left out',
      'flag-left-out': 'Flag left out',
      'segment-left-out': 'Segment left out',
      'segment-narrowed': 'Segment reaches fewer users',
    } as Readonly<Record<string, string>>,
  },
  import: {
    title: 'Import',
    intro:
      'First you see what would change. Nothing is written until you say so, and then all of it or nothing. The name and the settings of the project stay as they are.',
    onlyEditors: 'Editors and admins import. You can export.',
    format: 'Format of the file',
    formats: {
      flagsvc: 'flagsvc, YAML or JSON',
      flagd: 'flagd',
      launchdarkly: 'LaunchDarkly',
      unleash: 'Unleash',
      growthbook: 'GrowthBook',
    },
    choose: 'Choose a file',
    chooseOther: 'Choose another file',
    noFile: 'No file chosen. 10 MB at most.',
    file: (name: string, bytes: number) => `${name}, ${formatNumber(Math.ceil(bytes / 1024))} kB`,
    tooLarge: 'The file has more than 10 MB, so the server would refuse it.',
    unreadable: 'The file cannot be read. Choose it again.',
    mode: 'What to do with the project',
    modes: [
      { id: 'merge', label: 'Merge', note: 'Makes and changes what the file has. Everything else stays.' },
      {
        id: 'create_only',
        label: 'Only add',
        note: 'Makes what is missing. Nothing that exists is changed.',
      },
      {
        id: 'replace',
        label: 'Replace',
        note: 'As merge, and archives every flag that the file does not have.',
      },
    ] as const,
    environments: 'Import into',
    environmentsHelp: 'For a file that does not name its environment. Otherwise environments match by name.',
    comment: 'Why',
    commentHelp: 'Kept with each change.',
    check: 'Show what would change',
    fileFirst: 'Choose a file first',
    environmentFirst: 'Choose an environment',
  },
  plan: {
    title: (changed: number, same: number) =>
      same === 0
        ? changes(changed)
        : `${changes(changed)}, ${plural(same, { one: '# thing stays as it is', other: '# things stay as they are' })}`,
    nothing: 'The project is already as the file says',
    nothingText: 'Nothing to import.',
    errorsTitle: (count: number) =>
      plural(count, {
        one: '# thing in the file cannot be imported',
        other: '# things in the file cannot be imported',
      }),
    errorsText: 'Nothing was written. Correct the file, then choose it again.',
    where: 'Where',
    problem: 'Problem',
    line: (line: number) => `Line ${line}`,
    wholeFile: 'The file',
    refusedTitle: (count: number) =>
      plural(count, { one: '# change is refused', other: '# changes are refused' }),
    refusedText: 'An import is written as a whole, so none of it can be written now.',
    frozen: 'Break glass, then check again',
    frozenUntil: (name: string, place: string, end: string) => `“${name}” freezes ${place} until ${end}.`,
    frozenOpen: (name: string, place: string) => `“${name}” freezes ${place} until somebody ends it.`,
    glass: 'Your open break-glass session lets this through a freeze.',
    warnings: 'Look at these before you import',
    verbs: {
      created: 'Add',
      updated: 'Change',
      archived: 'Archive',
      other: 'Change',
    } as Readonly<Record<'created' | 'updated' | 'archived' | 'other', string>>,
    kinds: { flag: 'flag', segment: 'segment', environment: 'environment' } as Readonly<
      Record<string, string>
    >,
    details: 'What changes',
    showAll: (count: number) => `Show all ${formatNumber(count)}`,
    archiveNote: 'Archived flags serve their default variation. You can restore them.',
    backup: 'Export the project first, and you can import that file to go back.',
    apply: (count: number) => `Import ${changes(count)}`,
    checkAgain: 'Check again',
    refusedFirst: 'Some changes are refused',
    stale: 'Somebody changed the project since you looked. Check again to see what would change now.',
  },
  running: 'Importing',
  runningNote: 'You can leave this page: the server goes on.',
  done: {
    title: (count: number) => `Imported: ${changes(count)}`,
    text: 'Your apps have them.',
    changes: 'Look at the changes',
    again: 'Import another file',
  },
  failed: {
    title: 'The import failed, and nothing was written',
  },
};
