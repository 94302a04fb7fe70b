export const en = { serviceAccounts: 'Service accounts' };
