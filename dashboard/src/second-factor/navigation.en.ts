export const en = { secondFactor: 'Second factor' };
