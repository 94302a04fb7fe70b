export const en = { why: 'Why' };
