export const en = { environments: 'Environments' };
