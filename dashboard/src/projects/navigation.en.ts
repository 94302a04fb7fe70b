export const en = { project: 'Project' };
