export const en = { flag: 'Flag' };
