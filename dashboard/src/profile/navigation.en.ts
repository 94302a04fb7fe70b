export const en = { profile: 'Profile' };
