/** One field that the server refused: a path such as `targeting_rules.2.conditions.0.value`, and why. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** An answer of the API that is an error, or the lack of an answer. */
export class ApiProblem extends Error {
  /** HTTP status; 0 when the server could not be reached. */
  readonly status: number;
  /** A code of the API's table, or `UNREACHABLE`, or `UNREADABLE` for an answer that is not ours. */
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly fields: readonly FieldProblem[];
  /** Names the request in the server's log. */
  readonly requestId: string | undefined;

  constructor(facts: {
    readonly status: number;
    readonly code: string;
    readonly message: string;
    readonly details?: Readonly<Record<string, unknown>>;
    readonly requestId?: string | undefined;
  }) {
    super(facts.message);
    this.name = 'ApiProblem';
    this.status = facts.status;
    this.code = facts.code;
    this.details = facts.details ?? {};
    this.fields = readFields(this.details['fields']);
    this.requestId = facts.requestId;
  }
}

/** The problem that a thrown value stands for. */
export function toProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ApiProblem({ status: 0, code: 'UNREADABLE', message });
}

/** The problem in the body of an answer. */
export function readProblem(response: Response, body: unknown): ApiProblem {
  const error = isRecord(body) && isRecord(body['error']) ? body['error'] : undefined;
  return new ApiProblem({
    status: response.status,
    code: typeof error?.['code'] === 'string' ? error['code'] : 'UNREADABLE',
    message: typeof error?.['message'] === 'string' ? error['message'] : response.statusText,
    details: isRecord(error?.['details']) ? error['details'] : {},
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
}

/** True when nothing has the key or id of an address. The API refuses with 400 what no key can be, such as `Checkout`. */
export const isMissing = ({ status }: ApiProblem): boolean => status === 404 || status === 400;

/** The first message for each field as a sentence, in the shape that forms take. */
export function fieldErrors(problem: ApiProblem | undefined): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { field, message } of problem?.fields ?? []) found[field] ??= toSentence(message);
  return found;
}

/** The API writes "must have at least 8 characters", to follow the field's name. */
function toSentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function readFields(value: unknown): readonly FieldProblem[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: unknown) =>
    isRecord(one) && typeof one['message'] === 'string'
      ? [{ field: String(one['field'] ?? one['path'] ?? ''), message: one['message'] }]
      : [],
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
