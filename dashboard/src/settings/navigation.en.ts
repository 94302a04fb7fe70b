export const en = { settings: 'Settings' };
