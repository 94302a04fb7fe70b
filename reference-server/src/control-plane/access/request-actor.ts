import type { FastifyRequest } from 'fastify';
import type { Actor, Origin, Via } from './actor.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on public and data-plane routes. Read it with `actorOf`. */
    actor: Actor | null;
  }
}

/** Characters of a `User-Agent` header that are stored. */
const USER_AGENT_MAX = 500;

/** The authenticated actor of a request. Throws on routes without a permission, which is a programming error. */
export function actorOf(request: FastifyRequest): Actor {
  if (request.actor === null) throw new Error('This route declares no permission, so it has no actor');
  return request.actor;
}

export function originOf(request: FastifyRequest): Origin {
  const userAgent = request.headers['user-agent'];
  return {
    via: viaOf(request),
    requestId: request.id,
    ip: request.ip,
    userAgent: userAgent === undefined ? null : userAgent.slice(0, USER_AGENT_MAX),
  };
}

const CLIENTS: ReadonlySet<Via> = new Set<Via>(['dashboard', 'cli', 'mcp']);

/** Our own clients send `X-FlagSvc-Client`. Anyone can send it, so it is shown in the audit log and grants nothing. */
function viaOf({ headers }: FastifyRequest): Via {
  const client = headers['x-flagsvc-client'] as Via;
  return CLIENTS.has(client) ? client : 'api';
}
