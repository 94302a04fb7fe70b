/** What is critical asks before it is changed: the default of new environments, for those that are there. */
export const confirmCritical: readonly string[] = [
  `update environments set confirm_changes = 1 where critical = 1`,
];
