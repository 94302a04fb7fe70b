export const en = { transfer: 'Import and export' };
