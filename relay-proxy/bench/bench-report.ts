/** Prints figures with their goals, and remembers whether one was missed. */
export interface BenchReport {
  /** `goal` is the largest good value or, with `atLeast`, the smallest. */
  figure(name: string, value: number, of: FigureGoal): void;
  isMissed(): boolean;
}

export interface FigureGoal {
  readonly unit: string;
  readonly goal?: number;
  readonly atLeast?: boolean;
  readonly digits?: number;
}

export function createBenchReport(): BenchReport {
  let isMissed = false;
  return {
    figure(name, value, { unit, goal, atLeast = false, digits = 0 }) {
      const isBad = goal !== undefined && (atLeast ? value < goal : value > goal);
      isMissed ||= isBad;
      const verdict =
        goal === undefined ? '' : `goal ${atLeast ? '>=' : '<='} ${goal}${isBad ? ', MISSED' : ''}`;
      process.stdout.write(
        `${name.padEnd(66)}${value.toFixed(digits).padStart(9)} ${unit.padEnd(6)} ${verdict}\n`,
      );
    },
    isMissed: () => isMissed,
  };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]!;
}
