// Compiled with the package: each line below @ts-expect-error must be an error, and no other line.
import type { Api } from './api.ts';
import type { Environment, Flag, Project } from './document.ts';

declare const api: Api;
const params = { flag_id: 'flg_1' };
const query = { environment_id: 'env_1' };
const body = { enabled: true };

// Sound calls.
export const flag: Flag = await api.call('GET /flags/{flag_id}', { params, query });
export const projects: readonly Project[] = await api.all('GET /projects', {}, 10);
export const total: number = (await api.list('GET /flags', { query })).meta.total;
export const nothing: null = await api.call('DELETE /flags/{flag_id}', { params, query });
await api.call('POST /flags/{flag_id}/toggle', { params, query, body });
// What is undefined is not sent.
await api.call('GET /flags', { query: { ...query, search: undefined } });

// @ts-expect-error a path that the document does not have
await api.call('GET /flag/{flag_id}', { params, query });
// @ts-expect-error a method that the path does not take
await api.call('PUT /flags/{flag_id}/toggle', { params, query, body });
// @ts-expect-error no parameter of the path
await api.call('GET /flags/{flag_id}', { query });
// @ts-expect-error a wrong parameter of the path
await api.call('GET /flags/{flag_id}', { params: { id: 'flg_1' }, query });
// @ts-expect-error a query that is needed
await api.call('GET /flags/{flag_id}', { params });
// @ts-expect-error a wrong name in a query
await api.call('GET /flags', { query: { ...query, flagType: 'boolean' } });
// @ts-expect-error a wrong value in a query
await api.call('GET /flags', { query: { ...query, flag_type: 'integer' } });
// @ts-expect-error a body that is needed
await api.call('POST /flags/{flag_id}/toggle', { params, query });
// @ts-expect-error a field of the body that is needed
await api.call('POST /flags/{flag_id}/toggle', { params, query, body: { comment: 'Launch' } });
// @ts-expect-error a needed field that is not there
await api.call('POST /flags/{flag_id}/toggle', { params, query, body: { enabled: undefined } });
// @ts-expect-error a field that the body does not have
await api.call('POST /flags/{flag_id}/toggle', { params, query, body: { enabled: true, on: true } });
// @ts-expect-error a body where there is none
await api.call('GET /flags/{flag_id}', { params, query, body: {} });
// @ts-expect-error a header that the document does not have
await api.call('DELETE /flags/{flag_id}', { params, query, headers: { 'if-modified-since': '*' } });
// @ts-expect-error a field that the answer does not have
flag.on;
// @ts-expect-error a value that the answer never has
flag.flag_type === 'integer';
// @ts-expect-error what is answered is another record
export const environment: Environment = await api.call('GET /flags/{flag_id}', { params, query });
// @ts-expect-error no list
await api.all('GET /flags/{flag_id}', { params, query });
// @ts-expect-error whoever tries a write is answered its plan
await api.call('POST /flags/{flag_id}/toggle', { params, body, query: { ...query, dry_run: true } });
// @ts-expect-error what was asked of a change may be its plan
(await api.change('POST /flags/{flag_id}/toggle', { params, query, body })).enabled;
// @ts-expect-error what changes nothing cannot be tried
await api.change('GET /flags/{flag_id}', { params, query });
