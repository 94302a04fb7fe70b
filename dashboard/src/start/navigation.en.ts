export const en = { start: 'Start' };
