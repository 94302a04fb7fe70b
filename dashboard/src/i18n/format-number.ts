import { locale } from './language.ts';

const whole = new Intl.NumberFormat(locale);
const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 });
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
const and = new Intl.ListFormat(locale, { type: 'conjunction' });
const or = new Intl.ListFormat(locale, { type: 'disjunction' });

/** `1204` is `1,204`. */
export const formatNumber = (value: number): string => whole.format(value);
/** `1900000` is `1.9M`. */
export const formatCompact = (value: number): string => short.format(value);
/** A share from 0 to 1: `0.4` is `40%`. */
export const formatPercent = (share: number): string => percent.format(share);
/** `a, b, and c`. */
export const formatAnd = (items: readonly string[]): string => and.format(items);
/** `a, b, or c`. */
export const formatOr = (items: readonly string[]): string => or.format(items);
