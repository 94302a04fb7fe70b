export const en = { tokens: 'Personal tokens' };
