import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';

/**
 * Codes of warnings, each with the detail that follows it in `X-FlagSvc-Warnings`. A published code never changes its
 * meaning.
 */
export const WARNING_CODES = {
  'rule-unreachable': 'rule_id',
  'rule-never-matches': 'rule_id',
  'equal-priorities': null,
  'repeated-variation': null,
  'prerequisite-of': 'flags',
  'prerequisite-off': 'prerequisite',
  'code-references': 'places',
  'rollout-shrinks': 'rule_id',
  'members-without-second-factor': 'members',
  'grace-cut-short': 'would_have_ended_at',
  'segment-kept': 'subject',
  'environment-type-differs': 'subject',
  'rollouts-reach-other-users': null,
  'field-ignored': 'subject',
  'bucketing-attribute-ignored': 'subject',
  'shares-rounded': 'subject',
  'path-read-as-name': 'subject',
  'missing-attributes-get-the-default': 'subject',
  'rules-cut': 'subject',
  'flag-left-out': 'subject',
  'flag-renamed': 'subject',
  'rule-left-out': 'subject',
  'rule-narrowed': 'subject',
  'segment-left-out': 'subject',
  'environment-left-out': 'subject',
  'prerequisite-left-out': 'subject',
  'off-differs': 'subject',
  'other-types-match': 'subject',
  'rollouts-overlap': 'subject',
  'import-note': 'subject',
} as const satisfies Readonly<Record<string, string | null>>;

export type WarningCode = keyof typeof WARNING_CODES;

/** A result of a change that is allowed but rarely intended. */
export interface Warning {
  readonly code: WarningCode;
  /** Path in the resource after the change, such as `targeting_rules.2`; null for the whole resource. */
  readonly field: string | null;
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Maximum number of warnings in one answer. */
export const WARNINGS_MAX = 100;

export const Warning = Type.Object(
  {
    code: Type.Enum(Object.keys(WARNING_CODES) as WarningCode[]),
    field: Type.Union([Type.String(), Type.Null()], {
      description:
        'Path in the resource after the change, such as `targeting_rules.2`; null for the whole resource.',
    }),
    message: Type.String(),
    remedy: Type.String({ description: 'What to do about it.' }),
    details: Type.Record(Type.String(), Type.Unknown()),
  },
  {
    description: `A result of the change that is allowed but rarely intended. At most ${WARNINGS_MAX} per answer.`,
  },
);

/** Maximum number of warnings in the header; proxies refuse long headers. */
const HEADER_WARNINGS_MAX = 20;

/** `warnings` beside `data`; absent when there are none. */
export const Warnings = Type.Optional(Type.Array(Warning));

declare module 'fastify' {
  interface FastifyRequest {
    /** Sent beside `data`, and by their codes in `X-FlagSvc-Warnings`. */
    warnings: Warning[] | undefined;
  }
}

/** Adds warnings to the answer, without duplicates. */
export function warn(request: FastifyRequest, warnings: readonly Warning[]): void {
  const earlier = request.warnings ?? [];
  const known = new Set(earlier.map((one) => JSON.stringify(one)));
  request.warnings = [...earlier, ...warnings.filter((one) => !known.has(JSON.stringify(one)))];
}

/**
 * Sends a request's warnings as `{ data, warnings }` and in a header, which is also sent with answers that have no
 * body.
 */
export function registerWarnings(app: FastifyInstance): void {
  app.decorateRequest('warnings');
  // An earlier hook may refuse a request before its warnings are initialized.
  const sentWith = ({ warnings = [] }: FastifyRequest, reply: FastifyReply): readonly Warning[] =>
    reply.statusCode < 300 ? warnings : [];
  app.addHook('preSerialization', async (request, reply, payload) => {
    const warnings = sentWith(request, reply);
    const isWarned = warnings.length > 0 && isEnvelope(payload);
    return isWarned ? { ...payload, warnings: warnings.slice(0, WARNINGS_MAX) } : payload;
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const names = sentWith(request, reply).slice(0, HEADER_WARNINGS_MAX).map(headerOf);
    if (names.length > 0) reply.header('x-flagsvc-warnings', names.join(', '));
    return payload;
  });
}

function isEnvelope(payload: unknown): payload is object {
  return typeof payload === 'object' && payload !== null && 'data' in payload;
}

function headerOf({ code, details }: Warning): string {
  const shown = WARNING_CODES[code];
  if (shown === null) return code;
  return `${code}=${String(details[shown])
    .replace(/[^\x21-\x2b\x2d-\x7e]/g, '?')
    .slice(0, 200)}`;
}
