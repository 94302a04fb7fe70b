import { t } from './messages.ts';

/** Looked for in this order: Edge and Opera also call themselves Chrome, and Chrome calls itself Safari. */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['CriOS', 'Chrome'],
  ['HeadlessChrome', 'Chrome'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const;
/** iPhones call themselves "like Mac OS X", Android phones Linux. */
const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const;
const LENGTH_MAX = 60;

/** "Firefox on Windows" for a user agent; the start of the text itself for a program that nobody knows. */
export function deviceWords(userAgent: string | null): string {
  const text = userAgent?.trim() ?? '';
  if (text === '') return t.unknown;
  if (text.startsWith('flagsvc-cli/')) return t.commandLine;
  const browser = nameOf(text, BROWSERS);
  const system = nameOf(text, SYSTEMS);
  if (text.startsWith('Mozilla/') && browser !== undefined && system !== undefined)
    return t.on(browser, system);
  const letters = [...text];
  return letters.length > LENGTH_MAX ? `${letters.slice(0, LENGTH_MAX).join('')}…` : text;
}

function nameOf(text: string, names: readonly (readonly [mark: string, name: string])[]): string | undefined {
  return names.find(([mark]) => text.includes(mark))?.[1];
}
