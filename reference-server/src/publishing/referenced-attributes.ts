import type { Condition, Ruleset } from '@flagsvc/sdk-core';

type Asked = Pick<Ruleset, 'segments'> & {
  readonly flags: readonly Pick<Ruleset['flags'][number], 'targeting_rules'>[];
};

const known = new WeakMap<object, ReadonlySet<string>>();

/** The attributes that rules and segments ask about, the user key among them; found once for each ruleset. */
export function askedAttributes(ruleset: Asked): ReadonlySet<string> {
  let asked = known.get(ruleset);
  if (asked === undefined) {
    asked = findAttributes(ruleset);
    known.set(ruleset, asked);
  }
  return asked;
}

function findAttributes({ flags, segments }: Asked): ReadonlySet<string> {
  const asked = new Set<string>();
  const add = (conditions: readonly Condition[]): void => {
    for (const { attribute } of conditions) asked.add(attribute);
  };
  for (const { targeting_rules } of flags) for (const { conditions } of targeting_rules) add(conditions);
  for (const { conditions } of segments) add(conditions);
  asked.delete('$segment');
  return asked;
}
