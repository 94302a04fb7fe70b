import { WARNING_CODES } from '../http/warnings.ts';

/** What the document says of an operation, as far as its headers depend on it. */
interface Described {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: object;
}

interface RecordSchema {
  readonly anyOf?: readonly RecordSchema[];
  readonly properties?: {
    readonly data?: { readonly properties?: Readonly<Record<string, { readonly type?: string }>> };
  };
}

/** Groups of operations that look at what they know and at nothing else. */
const LENIENT: readonly string[] = ['Data plane', 'Health'];

/** An item of these is taken or rejected by itself, and nothing is said of its other fields. */
const EVENTS = 'sendEvents';

/** The headers that tell of revisions, warnings and what is not known, where an answer has them. */
export function headersOf(
  { operationId, tags = [], parameters = [], requestBody }: Described,
  status: string,
  schema: object | undefined,
): Readonly<Record<string, object>> {
  const isSuccess = Number(status) < 300;
  const whole = (schema ?? {}) as RecordSchema;
  // A write answers what it did, or what it would do.
  const { properties } = whole.anyOf?.[0] ?? whole;
  // A code snapshot's revision is a commit.
  const hasRevision = properties?.data?.properties?.['revision']?.type === 'integer';
  const takes = (header: string): boolean => parameters.some(({ name }) => name === header);
  const namesFields = requestBody !== undefined && operationId !== EVENTS;
  return {
    ...(((isSuccess && hasRevision) || status === '412') && { ETag: ENTITY_TAG }),
    ...(status === '401' && { 'WWW-Authenticate': CHALLENGE }),
    ...(isSuccess && takes('if-match') && { 'X-FlagSvc-Warnings': WARNINGS }),
    ...(isSuccess && takes('idempotency-key') && { 'Idempotency-Replayed': REPLAYED }),
    ...(isSuccess && namesFields && { 'X-FlagSvc-Ignored-Fields': IGNORED_FIELDS }),
    ...(isSuccess &&
      !tags.some((tag) => LENIENT.includes(tag)) && {
        'X-FlagSvc-Ignored-Parameters': IGNORED_PARAMETERS,
      }),
  };
}

const textHeader = (description: string, example: string) => ({
  description,
  schema: { type: 'string', examples: [example] },
});

const ENTITY_TAG = textHeader('The revision, for `If-Match`.', '"12"');
const CHALLENGE = textHeader(
  'What is asked for: `Bearer`, with `error="invalid_token"` for a token that was refused, or `ApiKey`.',
  'Bearer error="invalid_token"',
);
const IGNORED_FIELDS = textHeader(
  'Fields of the body that are not known; with `Prefer: handling=strict` they are an error.',
  'colour, variations.0.colour',
);
const IGNORED_PARAMETERS = textHeader(
  'Parameters of the query that are not known; with `Prefer: handling=strict` they are an error.',
  'per-page',
);
const REPLAYED = textHeader(
  '`true` where this is the answer that the same `Idempotency-Key` got before; else absent.',
  'true',
);
const WARNINGS = textHeader(
  `The codes of the warnings that the body has as \`warnings\`, at most 20, also where there is no body: ${listWarnings()}.`,
  'rule-unreachable=rule_01K3ZV4X9M8Q7P6N5B4T3R2W1Y',
);

function listWarnings(): string {
  return Object.entries(WARNING_CODES)
    .map(([code, detail]) => `\`${detail === null ? code : `${code}=<${detail}>`}\``)
    .join(', ');
}
