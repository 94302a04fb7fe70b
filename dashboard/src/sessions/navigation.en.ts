export const en = { sessions: 'Sessions' };
