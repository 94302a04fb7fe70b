/** Languages that every catalogue has. */
const LANGUAGES: readonly string[] = ['en'];

const languageOf = (tag: string): string => tag.split('-')[0]!.toLowerCase();

/** Some systems give browsers tags such as `en-US@posix`, which `Intl` refuses. */
function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

function choose(): string {
  const wanted = globalThis.navigator?.languages ?? [];
  return wanted.find((tag) => isTag(tag) && LANGUAGES.includes(languageOf(tag))) ?? 'en';
}

/** The person's language tag, which decides how dates and numbers are written, such as `en-GB`. */
export const locale: string = choose();

/** The language of the texts, such as `en`. */
export const language: string = languageOf(locale);
