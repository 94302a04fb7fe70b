/** A way of writing that makes a reader go back to the beginning of the sentence. */
export interface Banned {
  readonly name: string;
  readonly pattern: RegExp;
  /** What to write in its place. */
  readonly instead: string;
}

const START = '(?:^|[.!?:;]\\s+)';

export const BANNED: readonly Banned[] = [
  {
    name: 'begins with "So long / late / many / often"',
    pattern: new RegExp(`${START}So (?:long|late|many|often|much|far|few|soon)\\b`),
    instead: 'name the quantity: "How often …", "The longest …", "At most …"',
  },
  {
    name: 'begins with "Of …"',
    pattern: new RegExp(`${START}Of (?!course\\b)\\p{Ll}`, 'u'),
    instead: 'begin with the subject',
  },
  {
    name: '"Who …" as subject',
    pattern: new RegExp(`${START}Who (?!(?:may|can|is allowed)\\b)\\p{Ll}[^?]*$`, 'u'),
    instead: 'name the person or process: a client, an admin, the operator',
  },
  {
    name: '"whoever"',
    pattern: /\bwho(?:m|so)?ever\b/i,
    instead: 'name the person or process: a client, an admin, the operator',
  },
  {
    name: '"… that is none"',
    pattern: /\b(?:that|which|what) (?:is|are|was|were) none\b|(?<!there )\bis none\b/i,
    instead: 'say what it is: "an invalid …", "no …"',
  },
  {
    name: '"is told / asked / held / heard / noted"',
    pattern: /\b(?:is|are|was|were|be|been|being) (?:told|asked|held|heard|noted)\b/i,
    instead: 'use the plain verb in the active voice: "the server returns …"',
  },
  {
    name: '"and nothing else" / "and nobody else"',
    pattern: /\band (?:nothing|nobody|no one) else\b/i,
    instead: '"only …"',
  },
  {
    name: '"but for" in the sense of "except"',
    pattern: /\bbut for\b/i,
    instead: '"except"',
  },
  {
    name: '"in the stead of"',
    pattern: /\bin (?:the|its|their) stead\b/i,
    instead: '"instead of", "replaces"',
  },
  {
    name: '"such a one" / "one of its own kind"',
    pattern: /\b(?:such a one|such ones|as such a)\b/i,
    instead: 'repeat the noun',
  },
];
