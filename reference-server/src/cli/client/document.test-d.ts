// Compiled with the package: exactly the lines below @ts-expect-error must fail.
import type { Api } from './api.ts';
import type { Environment, Flag, Project } from './document.ts';

declare const api: Api;
const params = { flag_id: 'flg_1' };
const query = { environment_id: 'env_1' };
const body = { enabled: true };

// Correct calls.
export const flag: Flag = await api.call('GET /flags/{flag_id}', { params, query });
export const projects: readonly Project[] = await api.all('GET /projects', {}, 10);
export const total: number = (await api.list('GET /flags', { query })).meta.total;
export const nothing: null = await api.call('DELETE /flags/{flag_id}', { params, query });
await api.call('POST /flags/{flag_id}/toggle', { params, query, body });
// Undefined values are not sent.
await api.call('GET /flags', { query: { ...query, search: undefined } });

// @ts-expect-error unknown path
await api.call('GET /flag/{flag_id}', { params, query });
// @ts-expect-error unknown method of the path
await api.call('PUT /flags/{flag_id}/toggle', { params, query, body });
// @ts-expect-error missing path parameter
await api.call('GET /flags/{flag_id}', { query });
// @ts-expect-error wrong path parameter
await api.call('GET /flags/{flag_id}', { params: { id: 'flg_1' }, query });
// @ts-expect-error missing query
await api.call('GET /flags/{flag_id}', { params });
// @ts-expect-error wrong query parameter
await api.call('GET /flags', { query: { ...query, flagType: 'boolean' } });
// @ts-expect-error wrong query value
await api.call('GET /flags', { query: { ...query, flag_type: 'integer' } });
// @ts-expect-error missing body
await api.call('POST /flags/{flag_id}/toggle', { params, query });
// @ts-expect-error missing body field
await api.call('POST /flags/{flag_id}/toggle', { params, query, body: { comment: 'Launch' } });
// @ts-expect-error required field is undefined
await api.call('POST /flags/{flag_id}/toggle', { params, query, body: { enabled: undefined } });
// @ts-expect-error unknown body field
await api.call('POST /flags/{flag_id}/toggle', { params, query, body: { enabled: true, on: true } });
// @ts-expect-error body on an operation without one
await api.call('GET /flags/{flag_id}', { params, query, body: {} });
// @ts-expect-error unknown header
await api.call('DELETE /flags/{flag_id}', { params, query, headers: { 'if-modified-since': '*' } });
// @ts-expect-error unknown field of the result
flag.on;
// @ts-expect-error impossible value of the result
flag.flag_type === 'integer';
// @ts-expect-error result of another type
export const environment: Environment = await api.call('GET /flags/{flag_id}', { params, query });
// @ts-expect-error not a list
await api.all('GET /flags/{flag_id}', { params, query });
// @ts-expect-error a dry run needs `change`, which can return a plan
await api.call('POST /flags/{flag_id}/toggle', { params, body, query: { ...query, dry_run: true } });
// @ts-expect-error a change may return a plan
(await api.change('POST /flags/{flag_id}/toggle', { params, query, body })).enabled;
// @ts-expect-error a read has no dry run
await api.change('GET /flags/{flag_id}', { params, query });
