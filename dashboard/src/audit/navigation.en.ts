export const en = { changes: 'Changes' };
