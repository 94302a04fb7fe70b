export const en = { project: 'Project', projects: 'Projects' };
