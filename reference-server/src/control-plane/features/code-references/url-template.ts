import { type FieldError, invalid } from '../../../http/errors.ts';

/** The names that a template can contain in braces. */
const PLACEHOLDERS = ['repository', 'branch', 'revision', 'path', 'line', 'column'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

/** The values that a template is filled with. */
export type UrlParts = Readonly<Record<Placeholder, string | number>>;

const SAMPLE: UrlParts = { repository: 'r', branch: 'b', revision: '0', path: 'p', line: 1, column: 1 };

/** Throws VALIDATION_ERROR for a template that does not produce http or https URLs. */
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
    return { code: 'placeholder', message: `contains {${unknown}}; the known placeholders are ${known}` };
  }
  // The scheme must be literal, because a placeholder could be filled with "javascript:".
  if (!/^https?:\/\//.test(template) || /[{}]/.test(fill(template, SAMPLE))) {
    return { code: 'format', message: 'must begin with http:// or https:// and have balanced braces' };
  }
  const url = parse(fill(template, SAMPLE));
  if (url === undefined) return { code: 'format', message: 'must produce a valid URL' };
  if (url.username !== '' || url.password !== '') {
    return { code: 'format', message: 'must not contain a user name or password' };
  }
  return undefined;
}

/** The URL of a place; null without a template, or when the filled template is not a valid URL. */
export function urlOf(template: string | null, parts: UrlParts): string | null {
  return template === null ? null : (parse(fill(template, parts))?.href ?? null);
}

/** Fills a template. Values are percent-encoded except for their slashes. */
function fill(template: string, parts: UrlParts): string {
  return template.replace(/\{(\w+)\}/g, (_, name: Placeholder) =>
    String(parts[name]).split('/').map(encodeURIComponent).join('/'),
  );
}

function parse(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) ? url : undefined;
}
