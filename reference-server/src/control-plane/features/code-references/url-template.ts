import { type FieldError, invalid } from '../../../http/errors.ts';

/** What a template may name; the parts of a place and of its snapshot. */
const PLACEHOLDERS = ['repository', 'branch', 'revision', 'path', 'line', 'column'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

/** What a template is filled with. */
export type UrlParts = Readonly<Record<Placeholder, string | number>>;

const SAMPLE: UrlParts = { repository: 'r', branch: 'b', revision: '0', path: 'p', line: 1, column: 1 };

/** Throws VALIDATION_ERROR for a template that does not make addresses of http or https, and says what is wrong. */
export function checkUrlTemplate(template: string): void {
  const fault = faultOf(template);
  if (fault === undefined) return;
  const field = { field: 'url_template', location: 'body' } satisfies Partial<FieldError>;
  throw invalid({ ...field, ...fault });
}

function faultOf(template: string): Pick<FieldError, 'code' | 'message'> | undefined {
  const names = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name!);
  const unknown = names.find((name) => !(PLACEHOLDERS as readonly string[]).includes(name));
  if (unknown !== undefined) {
    const known = PLACEHOLDERS.map((name) => `{${name}}`).join(', ');
    return { code: 'placeholder', message: `names {${unknown}}; there are ${known}` };
  }
  // The scheme is the template's own, so that no repository can be called "javascript:".
  if (!/^https?:\/\//.test(template) || /[{}]/.test(fill(template, SAMPLE))) {
    return { code: 'format', message: 'must begin with http:// or https:// and close its braces' };
  }
  const url = parse(fill(template, SAMPLE));
  if (url === undefined) return { code: 'format', message: 'must make an address' };
  if (url.username !== '' || url.password !== '') {
    return { code: 'format', message: 'must hold no user name and no password' };
  }
  return undefined;
}

/** The address of a place; null when what is filled in makes none of it. */
export function urlOf(template: string | null, parts: UrlParts): string | null {
  return template === null ? null : (parse(fill(template, parts))?.href ?? null);
}

/** Slashes stay what they are; everything else that means something in an address does not any more. */
function fill(template: string, parts: UrlParts): string {
  return template.replace(/\{(\w+)\}/g, (_, name: Placeholder) =>
    String(parts[name]).split('/').map(encodeURIComponent).join('/'),
  );
}

function parse(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) ? url : undefined;
}
