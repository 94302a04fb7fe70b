export const en = { instance: 'Instance', modes: 'Modes' };
