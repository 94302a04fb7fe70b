export const en = {
  webhooks: 'Webhooks',
  failing: (count: number) => `${count} failing`,
};
