import type { paths } from '@flagsvc/openapi';
import createClient, { type Client } from 'openapi-fetch';
import { ApiProblem, readProblem } from './problem.ts';

/** The API, typed by its document: `api.GET('/api/v1/flags/{flag_id}', { params })`. */
export type Api = Client<paths>;

/** Makes the client. `send` adds the credentials; `origin` is empty in the page, where the API has the same origin. */
export function createApi(send: (request: Request) => Promise<Response>, origin = ''): Api {
  return createClient<paths>({
    baseUrl: origin,
    fetch: send,
    headers: { 'x-flagsvc-client': 'dashboard' },
  });
}

interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** The body of a successful answer. Throws an ApiProblem for every other. */
export async function unwrap<T>(call: Promise<Answer<T>>): Promise<T> {
  return (await unwrapTagged(call)).body;
}

/** As `unwrap`, with the entity tag of the answer, for `If-Match` of the next change. */
export async function unwrapTagged<T>(
  call: Promise<Answer<T>>,
): Promise<{ readonly body: T; readonly tag: string | undefined }> {
  const answer = await reach(call);
  if (!answer.response.ok) throw readProblem(answer.response, answer.error);
  return { body: answer.data as T, tag: answer.response.headers.get('etag') ?? undefined };
}

async function reach<T>(call: Promise<Answer<T>>): Promise<Answer<T>> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiProblem || (error instanceof DOMException && error.name === 'AbortError'))
      throw error;
    throw new ApiProblem({ status: 0, code: 'UNREACHABLE', message: String(error) });
  }
}
