export const en = {
  serves: (flag: string, variation: string) => `${flag} serves ${variation}`,
  share: (percent: number, variation: string) => `${percent} % ${variation}`,
  /** A rule without conditions is for everyone. */
  rule: (conditions: string, served: string) =>
    conditions === '' ? `everyone gets ${served}` : `if ${conditions}, serve ${served}`,
};
