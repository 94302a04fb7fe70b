import { plural } from '../../i18n/plural.ts';

export const en = {
  title: 'Needs first',
  serves: 'serves',
  none: 'This flag needs no other flag.',
  rule: (variation: string) => `Where one of them serves something else, everyone gets ${variation}.`,
  add: 'Add a flag that is needed first',
  change: (name: string) => `Change what ${name} must serve`,
  remove: (name: string) => `Remove ${name} from what is needed`,
  isNew: 'New',
  isEdited: 'Edited',
  states: {
    holds: 'holds for everyone',
    some: 'depends on the user',
    fails: 'does not hold now',
    archived: 'is archived',
    missing: 'does not exist any more',
  },
  dependents: (count: number) =>
    plural(count, { one: '# flag needs this one:', other: '# flags need this one:' }),
  more: (count: number) => plural(count, { one: 'and # more', other: 'and # more' }),
  addTitle: (name: string, environment: string) => `What ${name} needs first in ${environment}`,
  intro:
    'Users for whom that flag serves something else get the default of this one. Saved with the other changes on the page.',
  flag: 'Flag',
  flagHelp: 'Type a part of its name or key.',
  variation: 'Must serve',
  put: 'Add',
  take: 'Change',
  cancel: 'Cancel',
  flagFirst: 'Choose a flag first',
  variationFirst: 'Choose what it must serve',
  checking: 'Looking for loops',
  already: (name: string) => `${name} is needed already.`,
  loop: 'This would be a loop',
  loopPath: (path: readonly string[]) => `${path.join(' needs ')}.`,
  deep: 'This chain would be too long',
  deepText: (path: readonly string[], maximum: number) =>
    `${path.join(' needs ')}. A chain has at most ${maximum} steps.`,
};
