import { readProblem } from '../api/problem.ts';
import type { Session } from '../app/session/session.ts';

export type ExportFormat = 'yaml' | 'json' | 'flagd';

/** Something that the file cannot express: a kind, and what it is about. */
export interface Loss {
  readonly kind: string;
  readonly subject: string;
}

/** Downloads the project and saves it as a file. Returns what the format cannot express. Throws an ApiProblem. */
export async function exportProject(
  session: Session,
  of: {
    readonly projectId: string;
    readonly format: ExportFormat;
    /** Undefined is all environments. */
    readonly environmentKey: string | undefined;
    readonly fileName: string;
  },
): Promise<readonly Loss[]> {
  const address = new URL(`/api/v1/projects/${encodeURIComponent(of.projectId)}/export`, location.origin);
  address.searchParams.set('format', of.format);
  if (of.environmentKey !== undefined) address.searchParams.set('environment_keys', of.environmentKey);
  const response = await session.send(new Request(address));
  if (!response.ok) throw readProblem(response, await response.json().catch(() => undefined));
  save(of.fileName, await response.blob());
  return parseLosses(response.headers.get('x-flagsvc-warnings'));
}

/** The header of an export: percent-encoded, separated by commas, each `kind=subject`. */
export function parseLosses(header: string | null): readonly Loss[] {
  if (header === null || header === '') return [];
  return header.split(', ').map((text) => {
    const [kind = '', ...rest] = decode(text).split('=');
    return { kind, subject: rest.join('=') };
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
