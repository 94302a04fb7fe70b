export const en = { apiKeys: 'API keys' };
