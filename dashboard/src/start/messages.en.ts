import { formatNumber } from '../i18n/format-number.ts';
import { plural } from '../i18n/plural.ts';

const numbers = ['', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'];

const greetingOf = (hour: number): string =>
  hour >= 5 && hour < 12 ? 'Good morning' : hour >= 12 && hour < 18 ? 'Good afternoon' : 'Good evening';

export const en = {
  title: 'Start',
  loading: 'Loading',
  greeting: (hour: number, name: string) => (name === '' ? greetingOf(hour) : `${greetingOf(hour)}, ${name}`),
  count: (count: number) =>
    count === 0
      ? 'Nothing needs you. Everything is as it should be.'
      : `${numbers[count] ?? formatNumber(count)} ${plural(count, { one: 'thing needs', other: 'things need' })} you. Everything else is as it should be.`,
  needs: 'Needs you',
  nothingTitle: 'Nothing needs you',
  nothingText:
    'Failing webhooks, reviews, planned changes that are stuck and stale flags of yours appear here.',
  today: 'Changed today',
  allChanges: 'All changes',
  quietTitle: 'No flag changed today',
  quiet: 'What people and programs change appears here at once.',
  system: 'flagsvc',
  somebody: 'somebody',
  on: 'On',
  off: 'Off',
  webhook: {
    failing: (name: string) => `Webhook “${name}” is failing`,
    disabled: (name: string) => `Webhook “${name}” is switched off because it failed`,
    since: (moment: string) => `Nothing arrives since ${moment}. After five days the webhook is disabled.`,
    disabledText: 'It gets nothing until somebody switches it on again. What it missed can be sent again.',
    action: 'See deliveries',
    all: 'See webhooks',
    more: (count: number, isMore: boolean) =>
      plural(count, {
        one: isMore ? '# more webhook is failing' : '# webhook is failing',
        other: isMore ? '# more webhooks are failing' : '# webhooks are failing',
      }),
    moreText: 'The other side refuses or does not answer.',
  },
  review: {
    title: (who: string) => `Review a break-glass by ${who}`,
    until: (moment: string) => `A second person has to look by ${moment}.`,
    overdue: 'Overdue: a second person should have looked.',
    action: 'Review',
    all: 'See sessions',
    more: (count: number, isMore: boolean) =>
      plural(count, {
        one: isMore ? '# more session waits for a review' : '# session waits for a review',
        other: isMore ? '# more sessions wait for a review' : '# sessions wait for a review',
      }),
    moreText: 'Somebody broke glass; a second person looks at what was done.',
  },
  change: {
    failed: (flag: string) => `A planned change of ${flag} was not made`,
    stopped: (flag: string) => `A planned change of ${flag} falls into a freeze`,
    was: (moment: string, environment: string) => `Planned for ${moment} in ${environment}.`,
    conflicted: 'Somebody changed the flag in between.',
    willFail: 'It will fail.',
    waits: (moment: string | undefined) =>
      moment === undefined ? 'It waits until the freeze ends.' : `It waits and runs on ${moment}.`,
    action: 'Open',
  },
  key: {
    title: (count: number) =>
      plural(count, { one: '# API key expires within 14 days', other: '# API keys expire within 14 days' }),
    text: 'Apps with an expired key keep their last flags and get no changes. Rotate the key before.',
    action: 'See keys',
  },
  stale: {
    title: (flag: string) => `${flag} can be removed`,
    reasons: {
      fully_rolled_out: 'Everyone gets the same.',
      single_variation_served: 'Only one variation is served.',
      not_evaluated: 'No app asks for it.',
      past_expected_end: 'Its planned end is over.',
      manual: 'Marked as stale by hand.',
    },
    since: (day: string) => `Stale since ${day}.`,
    action: 'Clean up',
    all: 'See stale flags',
    more: (count: number, isMore: boolean) =>
      plural(count, {
        one: isMore ? '# more flag of yours is stale' : '# flag of yours is stale',
        other: isMore ? '# more flags of yours are stale' : '# flags of yours are stale',
      }),
    moreText: 'Remove them from the code, then archive them.',
    others: (count: number) =>
      plural(count, {
        one: '# more stale flag belongs to somebody else.',
        other: '# more stale flags belong to others.',
      }),
    showAll: 'Show all stale flags',
  },
  feed: {
    switched: 'switched',
    on: 'on',
    off: 'off',
    changed: 'changed',
    moved: 'moved',
    gave: 'gave',
    took: 'took from',
    aRule: 'a rule',
    fromIt: 'a rule',
    aNeed: 'a need',
    needFromIt: 'a need',
    from: 'from',
    to: 'to',
    in: 'in',
    share: (share: number) => `${share}%`,
    rules: (count: number) => plural(count, { one: '# rule', other: '# rules' }),
    need: (flag: string, variation: string) => `${flag} must serve ${variation}`,
    rule: (conditions: string, variation: string) => `If ${conditions}, serve ${variation}`,
    everyone: (variation: string) => `Everyone gets ${variation}`,
    fields: {
      targeting_rules: 'rules',
      prerequisites: 'needs',
      default_variation: 'what everyone else gets',
      client_side: 'who may read it',
      owner_id: 'owner',
      expected_end_at: 'planned end',
    } as Readonly<Record<string, string>>,
    actions: {
      'flag.created': 'made',
      'flag.archived': 'archived',
      'flag.restored': 'restored',
      'flag.deleted': 'deleted',
      'flag.activated': 'activated',
      'flag.marked_stale': 'marked as stale',
      'flag.unmarked_stale': 'keeps',
      'flag.promoted': 'promoted',
    } as Readonly<Record<string, string>>,
  },
  kill: {
    switchOf: { on: 'Switch on…', off: 'Switch off…' },
    title: 'Kill switches',
    note: 'You see who is affected before anything changes. During a freeze, each can still be switched off.',
    all: 'All kill switches',
  },
  apps: {
    title: 'Apps connected',
    none: 'No app has reported yet.',
    goneKey: 'Revoked key',
    connect: 'Connect an app',
  },
  coming: {
    title: 'Coming up',
    ends: (name: string, environments: string) => `${name} ends in ${environments}`,
    begins: (name: string, environments: string) => `${name} begins in ${environments}`,
    runs: (count: number) =>
      count === 0 ? '' : plural(count, { one: '# change runs', other: '# changes run' }),
    change: (flag: string) => `Planned change of ${flag}`,
    all: 'All freezes',
  },
};
