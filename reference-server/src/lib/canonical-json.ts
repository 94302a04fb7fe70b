import type { Json } from '@flagsvc/sdk-core';

/**
 * The canonical JSON of a value (RFC 8785): members sorted by their names' UTF-16 code units, no white space.
 * Members that are undefined are left out, as JSON.stringify does.
 */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const record = value as { readonly [name: string]: Json | undefined };
  const members: string[] = [];
  for (const name of Object.keys(record).sort()) {
    const member = record[name];
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}
