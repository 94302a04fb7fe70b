import type { components } from '@flagsvc/openapi';
import { keyOf } from '../app/key-of.ts';
import { t } from './messages.ts';

type Body = components['schemas']['CreateFlagBody'];

/** The form of a new flag. */
export interface NewFlag {
  readonly name: string;
  /** Empty: made from the name. */
  readonly key: string;
  readonly type: Body['flag_type'];
  readonly kind: NonNullable<Body['classification']>;
  readonly description: string;
  readonly isForClients: boolean;
}

/** Two variations to begin with; a switch has on and off. */
export function bodyOf({ name, key, type, kind, description, isForClients }: NewFlag): Body {
  const [first, second] = START[type];
  const isSwitch = type === 'boolean';
  return {
    name: name.trim(),
    key: key.trim() || keyOf(name),
    flag_type: type,
    variations: [
      { key: isSwitch ? 'on' : 'first', name: isSwitch ? t.form.on : t.form.first, value: first },
      { key: isSwitch ? 'off' : 'second', name: isSwitch ? t.form.off : t.form.second, value: second },
    ],
    default_variation: isSwitch ? 'off' : 'first',
    classification: kind,
    client_side: isForClients,
    ...(description.trim() !== '' && { description: description.trim() }),
  };
}

const START: Readonly<Record<Body['flag_type'], readonly [unknown, unknown]>> = {
  boolean: [true, false],
  string: ['first', 'second'],
  number: [1, 2],
  json: [{ version: 1 }, { version: 2 }],
};
