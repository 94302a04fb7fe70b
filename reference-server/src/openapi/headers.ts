import { WARNING_CODES } from '../http/warnings.ts';

/** The parts of an operation that decide which headers its answers have. */
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

/** Groups of operations that ignore unknown parameters without naming them. */
const LENIENT: readonly string[] = ['Data plane', 'Health'];

/** The operation that accepts or rejects each item on its own, without naming unknown fields. */
const EVENTS = 'sendEvents';

/** The headers of an answer: revision, authentication challenge, warnings, replay and unknown fields. */
export function headersOf(
  { operationId, tags = [], parameters = [], requestBody }: Described,
  status: string,
  schema: object | undefined,
): Readonly<Record<string, object>> {
  const isSuccess = Number(status) < 300;
  const whole = (schema ?? {}) as RecordSchema;
  // The answer of a write is its result or, for a dry run, its plan.
  const { properties } = whole.anyOf?.[0] ?? whole;
  // The revision of a code snapshot is a commit hash, which is a string.
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
  'The expected authentication: `Bearer` (with `error="invalid_token"` for a refused token) or `ApiKey`.',
  'Bearer error="invalid_token"',
);
const IGNORED_FIELDS = textHeader(
  'Unknown fields of the body, which were ignored; an error with `Prefer: handling=strict`.',
  'colour, variations.0.colour',
);
const IGNORED_PARAMETERS = textHeader(
  'Unknown query parameters, which were ignored; an error with `Prefer: handling=strict`.',
  'per-page',
);
const REPLAYED = textHeader(
  '`true` when this is the stored answer to an earlier request with the same `Idempotency-Key`; otherwise absent.',
  'true',
);
const WARNINGS = textHeader(
  `The codes of the answer's warnings, at most 20; also sent with answers that have no body: ${listWarnings()}.`,
  'rule-unreachable=rule_01K3ZV4X9M8Q7P6N5B4T3R2W1Y',
);

function listWarnings(): string {
  return Object.entries(WARNING_CODES)
    .map(([code, detail]) => `\`${detail === null ? code : `${code}=<${detail}>`}\``)
    .join(', ');
}
