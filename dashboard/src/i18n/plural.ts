import { locale } from './language.ts';

/** The forms of a text by plural category; `other` is required in every language, `#` stands for the number. */
export type PluralForms = { readonly other: string } & Partial<Readonly<Record<Intl.LDMLPluralRule, string>>>;

const whole = new Intl.NumberFormat(locale);
const rules = new Intl.PluralRules(locale);

/** `plural(3, { one: '# flag', other: '# flags' })` is `3 flags`. */
export function plural(count: number, forms: PluralForms): string {
  const form = forms[rules.select(count)] ?? forms.other;
  return form.replaceAll('#', whole.format(count));
}
