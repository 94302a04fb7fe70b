import { DAY_MS } from '../../lib/durations.ts';

/** One email to one person. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** How long the email is worth sending, in milliseconds; a reset link, for instance, works for an hour. */
  readonly lifetimeMs: number;
}

/** What an email says. Parts may contain names that strangers have chosen. */
export interface MailContent {
  readonly to: string;
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** Shown as a button in HTML, and as an address in text. `after` is the number of paragraphs above it. */
  readonly link?: { readonly url: string; readonly label: string; readonly after: number };
  /** Default one day. */
  readonly lifetimeMs?: number;
}

const SUBJECT_MAX = 200;
const PARAGRAPH_MAX = 4_000;

/**
 * Renders an email as plain text and as HTML without images, style sheets or scripts. Line breaks in a subject, control
 * characters, and characters that reverse the direction of text are replaced by spaces.
 */
export function composeMail({ to, subject, paragraphs, link, lifetimeMs = DAY_MS }: MailContent): Mail {
  const blocks = paragraphs.map((text) => ({ text: clean(text), html: `<p>${toHtml(clean(text))}</p>` }));
  if (link !== undefined) {
    const url = toHtml(link.url);
    blocks.splice(link.after, 0, {
      text: link.url,
      html: `<p><a href="${url}">${toHtml(toOneLine(link.label))}</a></p>\n<p>Or copy this address into your browser:<br>${url}</p>`,
    });
  }
  const html = blocks.map((block) => block.html).join('\n');
  return {
    to,
    subject: toOneLine(subject, SUBJECT_MAX),
    text: `${blocks.map((block) => block.text).join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${toHtml(toOneLine(subject, SUBJECT_MAX))}</title></head>\n<body style="font-family: sans-serif; max-width: 40em">\n${html}\n</body>\n</html>\n`,
    lifetimeMs,
  };
}

/** A name on one line, at most `max` characters long, for use within a sentence or a subject. */
export function toOneLine(name: string, max = 100): string {
  const line = clean(name).replaceAll(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join('')}…`;
}

/** Control characters except line breaks, line and paragraph separators, and characters that set the direction of text. */
const UNSAFE = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu;

function clean(text: string): string {
  const cut = text.length <= PARAGRAPH_MAX ? text : `${text.slice(0, PARAGRAPH_MAX)}…`;
  return cut
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(UNSAFE, ' ')
    .replaceAll(/\p{Cs}/gu, '\ufffd');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function toHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!).replaceAll('\n', '<br>\n');
}
