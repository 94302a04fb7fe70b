import type { Context } from '@flagsvc/sdk-core';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import type { Type } from 'typebox';
import { nameIgnored } from '../../http/validation.ts';
import type {
  ContextRecorder,
  EvaluateAnswer,
  PublishedRuleset,
  RulesetLookup,
  UsageMeter,
} from '../ports.ts';
import { type EvaluateBody, evaluateSchema } from '../schemas.ts';
import { requireShortLists } from './context-size.ts';
import { heavyWork } from './heavy-work.ts';
import { LIGHT_WORK } from './measure.ts';
import { requireWork } from './require-work.ts';

/** `POST /evaluate`. */
export function evaluateRoute(
  app: FastifyInstance,
  deps: {
    readonly lookup: RulesetLookup;
    readonly authenticate: onRequestHookHandler;
    readonly now: () => number;
    readonly recorder: ContextRecorder | undefined;
    readonly meter: UsageMeter | undefined;
  },
): void {
  const { lookup, authenticate, now, recorder, meter } = deps;
  const timestamp = createTimestamp(now);
  app.post<{ Body: Type.Static<typeof EvaluateBody> }>(
    '/evaluate',
    {
      schema: evaluateSchema,
      onRequest: authenticate,
      config: { access: 'apiKey', rateCategory: 'evaluation' },
    },
    (request, reply) => {
      if (hasUnknownFields(request.body)) nameIgnored(request, reply);
      requireShortLists(request.body.context as Context);
      const send = (published: PublishedRuleset): void | Promise<void> => {
        const { flags, context } = request.body as { flags: readonly string[]; context: Context };
        const keys = keysOf(flags, published);
        const work = requireWork(published.measure(keys, context));
        const finish = ({ body, release }: EvaluateAnswer): void => {
          // `close` is emitted when the socket has taken the last byte, or when it never will.
          if (release !== undefined) reply.raw.once('close', release);
          reply.header('content-type', 'application/json; charset=utf-8').send(body);
          recorder?.record(published, context);
          meter?.recordEvaluations(
            request.grant!,
            keys === '*' ? published.evaluator.ruleset.flags.length : keys.length,
          );
        };
        if (work <= LIGHT_WORK) return finish(published.evaluate(keys, context, timestamp()));
        const steps = published.evaluateInSteps(keys, context, timestamp());
        return heavyWork.run(work, steps).then(finish);
      };
      const fail = (error: unknown): void => void reply.send(error);
      const published = lookup.current(request.grant!);
      if (published instanceof Promise) published.then(send).catch(fail);
      else send(published)?.catch(fail);
    },
  );
}

/** Whether the body has unknown fields. Attributes next to `user_key`, outside `attributes`, are a common mistake. */
function hasUnknownFields(body: { readonly context: object }): boolean {
  for (const name in body) if (name !== 'flags' && name !== 'context') return true;
  for (const name in body.context) if (name !== 'user_key' && name !== 'attributes') return true;
  return false;
}

/** The requested keys, each once. `*` means all flags; unknown keys beside it also get an answer. */
function keysOf(flags: readonly string[], { evaluator }: PublishedRuleset): readonly string[] | '*' {
  if (flags.length === 1) return flags[0] === '*' ? '*' : flags;
  const keys = new Set(flags);
  if (!keys.delete('*')) return [...keys];
  const all = evaluator.ruleset.flags.map(({ key }) => key);
  for (const key of all) keys.delete(key);
  return keys.size === 0 ? '*' : [...keys, ...all];
}

/** The current time in ISO 8601 with milliseconds; formatted once per millisecond. */
function createTimestamp(now: () => number): () => string {
  let time = Number.NaN;
  let text = '';
  return () => {
    const current = now();
    if (current !== time) {
      time = current;
      text = new Date(current).toISOString();
    }
    return text;
  };
}
