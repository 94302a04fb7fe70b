export const en = {
  freezes: 'Freezes',
  /** The badge while a freeze is active. */
  days: (count: number) => `${count} d`,
  hours: (count: number) => `${count} h`,
  minutes: (count: number) => `${count} min`,
  on: 'on',
};
