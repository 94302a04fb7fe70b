export const en = { flags: 'Flags' };
