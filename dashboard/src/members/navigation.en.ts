export const en = { members: 'Members' };
