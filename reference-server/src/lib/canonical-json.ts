import type { Json } from '@flagsvc/sdk-core';

/**
 * Canonical JSON (RFC 8785): object members sorted by the UTF-16 code units of their names, no white space. Undefined
 * members are omitted, as in JSON.stringify.
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
