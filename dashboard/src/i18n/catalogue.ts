import { language } from './language.ts';

/**
 * The texts of a feature in the language of the page. `en` is complete; another language is a file with the same shape
 * beside `messages.en.ts` and one more entry here. Components import the result and never name a language.
 */
export function catalogue<T extends object>(languages: { readonly en: T } & Readonly<Record<string, T>>): T {
  return languages[language] ?? languages.en;
}
