import { formatNumber } from '../../i18n/format-number.ts';
import { plural } from '../../i18n/plural.ts';

export const en = {
  open: 'Compare and promote',
  title: (from: string, to: string) => `${from} and ${to}`,
  intro: (from: string, to: string) => `Choose what of ${from} should be in ${to} as well.`,
  from: 'From',
  to: 'To',
  swap: 'Swap the environments',
  part: 'Part',
  parts: {
    enabled: 'Switch',
    targeting_rules: 'Rules',
    default_variation: 'Otherwise',
    prerequisites: 'Needs first',
  },
  same: 'the same',
  noRules: 'no rules',
  noNeeds: 'nothing',
  serves: 'serves',
  keepRules: (to: string) => `Keep the rules that only ${to} has, after the others`,
  effect: (to: string) => `What changes in ${to}`,
  identical: (from: string, to: string) => `${from} and ${to} are the same. There is nothing to promote.`,
  chooseFirst: 'Choose a part first',
  checking: 'Checking what would change',
  nothing: 'With these parts, nothing changes.',
  users: (changed: number, of: number) =>
    changed === 0
      ? `None of ${formatNumber(of)} recorded users would get another variation.`
      : plural(changed, {
          one: `# of ${formatNumber(of)} recorded users would get another variation.`,
          other: `# of ${formatNumber(of)} recorded users would get another variation.`,
        }),
  kept: (to: string) => `${to} stays as it was. Your choices are kept.`,
  promote: (to: string) => `Promote to ${to}`,
  promoted: (from: string, to: string) => `${to} has what you chose of ${from}`,
  close: 'Close',
  needsOff: (flag: string, to: string) => `${flag} is off in ${to}, and this flag needs it`,
  needsOffRemedy: (flag: string) => `Until ${flag} is on there, everyone gets the default.`,
  shrinks: (rule: string, to: string) => `${rule} reaches fewer users of ${to} than before`,
  shrinksRemedy: 'Some users lose what they have. Raise the share first, unless this is intended.',
  unsaved: (name: string) => `Your unsaved changes in ${name} are not part of this.`,
};
