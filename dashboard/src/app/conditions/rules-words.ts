import { t } from './messages.ts';

/** "2 rules", or "1 rule, 1 need" for a flag that needs another first. The list and the page of a flag both say it. */
export const rulesWords = (rules: number, needs: number): string =>
  needs === 0 ? t.rules(rules) : `${t.rules(rules)}, ${t.needs(needs)}`;
