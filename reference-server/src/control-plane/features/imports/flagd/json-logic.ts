/** JSONLogic as flagd evaluates it. */
export type Logic = unknown;

/**
 * A condition in flagd's logic, bounded from both sides: where `sure` holds, the condition matches; where it matches,
 * `possible` holds. Both are one object where flagd can say what the condition says. A rule is served by its `sure`,
 * and its `possible` keeps its users from the rules behind it.
 */
export interface Bounds {
  readonly sure: Logic;
  readonly possible: Logic;
}

/** Of a condition that flagd cannot say. */
export const UNKNOWN: Bounds = { sure: false, possible: true };

export const exactly = (logic: Logic): Bounds => ({ sure: logic, possible: logic });

export const isExact = ({ sure, possible }: Bounds): boolean => sure === possible;

export function allOf(parts: readonly Logic[]): Logic {
  if (parts.includes(false)) return false;
  const asked = parts.filter((part) => part !== true);
  return asked.length > 1 ? { and: asked } : (asked[0] ?? true);
}

export function anyOf(parts: readonly Logic[]): Logic {
  if (parts.includes(true)) return true;
  const asked = parts.filter((part) => part !== false);
  return asked.length > 1 ? { or: asked } : (asked[0] ?? false);
}

export function not(logic: Logic): Logic {
  return typeof logic === 'boolean' ? !logic : { '!': logic };
}

/** Applies `make` to both sides; what was exact stays so. */
export function mapBounds(bounds: Bounds, make: (logic: Logic) => Logic): Bounds {
  const sure = make(bounds.sure);
  return { sure, possible: isExact(bounds) ? sure : make(bounds.possible) };
}

/** Bounds of a conjunction (`allOf`) or of alternatives (`anyOf`). */
export function joinBounds(parts: readonly Bounds[], join: typeof allOf): Bounds {
  const sure = join(parts.map((part) => part.sure));
  return { sure, possible: parts.every(isExact) ? sure : join(parts.map((part) => part.possible)) };
}

export function negate(bounds: Bounds): Bounds {
  const sure = not(bounds.possible);
  return { sure, possible: isExact(bounds) ? sure : not(bounds.sure) };
}
