/** Turns `confirm_changes` on for existing critical environments, which is the default for new ones. */
export const confirmCritical: readonly string[] = [
  `update environments set confirm_changes = 1 where critical = 1`,
];
