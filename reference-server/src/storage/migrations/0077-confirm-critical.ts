/** Turns `confirm_changes` on for existing critical environments. New critical environments have it on by default. */
export const confirmCritical: readonly string[] = [
  `update environments set confirm_changes = 1 where critical = 1`,
];
