import type { Condition, Ruleset } from '@flagsvc/sdk-core';

type Rules = Pick<Ruleset, 'segments'> & {
  readonly flags: readonly Pick<Ruleset['flags'][number], 'targeting_rules'>[];
};

const known = new WeakMap<object, ReadonlySet<string>>();

/** The attributes that rules and segments compare, including `user_key`. Computed once per ruleset. */
export function referencedAttributes(ruleset: Rules): ReadonlySet<string> {
  let attributes = known.get(ruleset);
  if (attributes === undefined) {
    attributes = findAttributes(ruleset);
    known.set(ruleset, attributes);
  }
  return attributes;
}

function findAttributes({ flags, segments }: Rules): ReadonlySet<string> {
  const attributes = new Set<string>();
  const add = (conditions: readonly Condition[]): void => {
    for (const { attribute } of conditions) attributes.add(attribute);
  };
  for (const { targeting_rules } of flags) for (const { conditions } of targeting_rules) add(conditions);
  for (const { conditions } of segments) add(conditions);
  attributes.delete('$segment');
  return attributes;
}
