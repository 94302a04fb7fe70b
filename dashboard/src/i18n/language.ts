/** Languages that every catalogue has. */
const LANGUAGES: readonly string[] = ['en'];

function choose(): string {
  const wanted = globalThis.navigator?.languages ?? [];
  const fitting = wanted.find((tag) => LANGUAGES.includes(tag.split('-')[0]!.toLowerCase()));
  return fitting ?? 'en';
}

/** The person's language tag, which decides how dates and numbers are written, such as `en-GB`. */
export const locale: string = choose();

/** The language of the texts, such as `en`. */
export const language: string = locale.split('-')[0]!.toLowerCase();
