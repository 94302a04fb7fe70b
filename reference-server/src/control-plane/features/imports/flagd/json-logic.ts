/** JSONLogic as flagd evaluates it. */
export type Logic = unknown;

/**
 * A condition in flagd's logic, as a lower and an upper bound of the users that it matches. Both are the same object
 * when flagd can express the condition exactly.
 */
export interface Bounds {
  /** Holds only where the condition matches. A rule serves its variation where this bound holds. */
  readonly sure: Logic;
  /** Holds wherever the condition matches. Where this bound holds, users do not reach the rules that follow. */
  readonly possible: Logic;
}

/** The bounds of a condition that flagd cannot express. */
export const UNKNOWN: Bounds = { sure: false, possible: true };

export const exactly = (logic: Logic): Bounds => ({ sure: logic, possible: logic });

export const isExact = ({ sure, possible }: Bounds): boolean => sure === possible;

export function allOf(parts: readonly Logic[]): Logic {
  if (parts.includes(false)) return false;
  const others = parts.filter((part) => part !== true);
  return others.length > 1 ? { and: others } : (others[0] ?? true);
}

export function anyOf(parts: readonly Logic[]): Logic {
  if (parts.includes(true)) return true;
  const others = parts.filter((part) => part !== false);
  return others.length > 1 ? { or: others } : (others[0] ?? false);
}

export function not(logic: Logic): Logic {
  return typeof logic === 'boolean' ? !logic : { '!': logic };
}

/** Applies `make` to both bounds; exact bounds stay exact. */
export function mapBounds(bounds: Bounds, make: (logic: Logic) => Logic): Bounds {
  const sure = make(bounds.sure);
  return { sure, possible: isExact(bounds) ? sure : make(bounds.possible) };
}

/** The bounds of a conjunction (`join` is `allOf`) or of a disjunction (`anyOf`). */
export function joinBounds(parts: readonly Bounds[], join: typeof allOf): Bounds {
  const sure = join(parts.map((part) => part.sure));
  return { sure, possible: parts.every(isExact) ? sure : join(parts.map((part) => part.possible)) };
}

export function negate(bounds: Bounds): Bounds {
  const sure = not(bounds.possible);
  return { sure, possible: isExact(bounds) ? sure : not(bounds.sure) };
}
