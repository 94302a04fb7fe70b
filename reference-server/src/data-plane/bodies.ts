import { decodeMsgpack, MsgpackError } from '@flagsvc/sdk-core/msgpack';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  ANYONES_BODY_LIMIT_BYTES,
  BODY_ARRIVE_MS,
  BODY_LIMIT_BYTES,
  type BodyOptions,
  DEPTH_MAX,
  parseJson,
  shapeOf,
  takeBodies,
  textOf,
  tooDeep,
} from '../http/body.ts';
import { createBodyBudget } from '../http/body-budget.ts';
import { ApiError } from '../http/errors.ts';
import type { BodyRules } from '../http/read-body.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True: the route accepts `application/msgpack` besides JSON. */
    takesMsgpack?: boolean;
    /**
     * True: the route itself checks the depth of each item, so the depth of the whole body is not checked
     * (decisions/0012).
     */
    takesDepth?: boolean;
  }
}

/** Maximum number of values in a body: parsing a megabyte of the smallest values takes 200 ms (decisions/0036). */
const BODY_VALUES_MAX = 65_536;
const BODY_MEMBERS_MAX = 25_000;

/** A megabyte of gzip can consist of 93,000 code tables, which take 80 ms to build. */
const GZIP_LIMIT_BYTES = 256 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses the bodies of the data plane: JSON and, if the route accepts it, MessagePack; either may be gzipped.
 * Attributes may have any name: even `__proto__` becomes an own property (EV-28).
 */
export function readBodies(
  app: FastifyInstance,
  { budget = createBodyBudget(), arriveMs = BODY_ARRIVE_MS }: BodyOptions,
): void {
  const reading = { budget, rulesOf: (request: FastifyRequest) => rulesOf(request, arriveMs) };
  app.removeAllContentTypeParsers();
  // The app that mounts the plugin may have another body limit, which must not apply here.
  app.addHook('onRoute', (route) => {
    route.bodyLimit ??= BODY_LIMIT_BYTES;
  });
  takeBodies(app, reading, {
    type: 'application/json',
    parse(bytes, request) {
      const text = textOf(bytes, request);
      const { depth, values, members } = shapeOf(text);
      if (depth > depthMaxOf(request)) throw tooDeep();
      if (values > BODY_VALUES_MAX) throw tooMany('values', BODY_VALUES_MAX);
      if (members > BODY_MEMBERS_MAX) throw tooMany('members', BODY_MEMBERS_MAX);
      return parseJson(text);
    },
  });
  takeBodies(app, reading, {
    type: 'application/msgpack',
    isTaken: (request) => request.routeOptions.config.takesMsgpack === true,
    parse: parseMsgpack,
  });
}

function rulesOf({ grant, routeOptions: { bodyLimit } }: FastifyRequest, arriveMs: number): BodyRules {
  if (grant?.kind === 'client')
    return { sender: 'anyone', limit: Math.min(bodyLimit, ANYONES_BODY_LIMIT_BYTES), arriveMs };
  return { sender: 'known', limit: bodyLimit, gzipLimit: GZIP_LIMIT_BYTES, arriveMs };
}

function depthMaxOf(request: FastifyRequest): number {
  return request.routeOptions.config.takesDepth === true ? Number.POSITIVE_INFINITY : DEPTH_MAX;
}

function parseMsgpack(bytes: Buffer, request: FastifyRequest): unknown {
  try {
    const limits = {
      depthMax: depthMaxOf(request),
      valuesMax: BODY_VALUES_MAX,
      membersMax: BODY_MEMBERS_MAX,
    };
    return decodeMsgpack(bytes, (text) => utf8.decode(text), limits);
  } catch (error) {
    if (!(error instanceof MsgpackError)) throw error;
    if (error.fault === 'depth') throw tooDeep();
    if (error.fault === 'values') throw tooMany('values', BODY_VALUES_MAX);
    if (error.fault === 'members') throw tooMany('members', BODY_MEMBERS_MAX);
    throw new ApiError('VALIDATION_ERROR', {
      message: `The body is not valid MessagePack: ${error.message}.`,
    });
  }
}

function tooMany(what: 'values' | 'members', maximum: number): ApiError {
  const words = what === 'values' ? 'values' : 'members of objects';
  return new ApiError('LIMIT_EXCEEDED', {
    message: `The body contains more than ${maximum} ${words}; send it in several parts.`,
    details: { field: '', location: 'body', limit: `body_${what}`, maximum },
  });
}
