/**
 * Types of the API, derived from `/openapi.json`, so that a call that the document does not describe fails to compile.
 * `npm run typecheck` and `npm run build` generate the file that it imports.
 */
import type { components, paths } from '../../../generated/openapi.d.ts';

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';
type Path = keyof paths extends infer Key ? (Key extends `/api/v1${infer Rest}` ? Rest : never) : never;

/** An operation: method and path below `/api/v1`, such as `GET /flags/{flag_id}`. */
export type Endpoint = {
  [At in Path]: {
    [By in Method]: paths[`/api/v1${At}`][By] extends object ? `${Uppercase<By>} ${At}` : never;
  }[Method];
}[Path];

type Operation<E extends Endpoint> = E extends `${infer By} ${infer At}`
  ? Extract<paths[`/api/v1${At}` & keyof paths][Lowercase<By> & Method], Described>
  : never;

/** An operation as openapi-typescript describes it. */
interface Described {
  readonly parameters: object;
  readonly requestBody?: object;
  readonly responses: object;
}

type Json<Of> = Of extends { readonly content: { readonly 'application/json': infer Body } } ? Body : never;

/** Optional properties may also be undefined: such values are not sent. */
type Sparse<T> = {
  readonly [Key in keyof T as Exclude<Key, 'dry_run'>]: Partial<T> extends Pick<T, Key>
    ? T[Key] | undefined
    : T[Key];
};

interface PartNames {
  readonly path: 'params';
  readonly query: 'query';
  readonly requestBody: 'body';
}
type Parts<T> = {
  readonly [Key in keyof T as Key extends keyof PartNames ? PartNames[Key] : never]: Sparse<
    Key extends 'requestBody' ? Json<T[Key]> : T[Key]
  >;
};

/** Every operation accepts `Prefer` (RFC 7240); the document does not repeat it. */
type Headers<Given> = Given extends { readonly header?: infer Documented }
  ? Sparse<Documented & { readonly prefer?: string }>
  : never;

/** The parts of a request, required where the document requires them. */
export type Request<E extends Endpoint> = Parts<
  Operation<E>['parameters'] & Pick<Operation<E>, 'requestBody'>
> & { readonly headers?: Headers<Operation<E>['parameters']> };

type Responses<E extends Endpoint> = Operation<E>['responses'];
/** The body of a successful response. */
export type Answer<E extends Endpoint> = Json<Responses<E>[keyof Responses<E> & (200 | 201 | 202)]>;
type Answered<Body> = Body extends { readonly data: infer Value } ? Value : never;

/** The result of a dry run. */
export type DryRun = Answered<components['schemas']['DryRunAnswer']>;

/** A warning beside the data of a response. */
export type Warning = DryRun['plan'][number]['warnings'][number];

/** The `data` of a successful response; null without a body. */
export type Data<E extends Endpoint> =
  | Exclude<Answered<Answer<E>>, DryRun>
  | (204 extends keyof Responses<E> ? null : never);

/** The writes that support a dry run. */
export type Change = {
  [E in Endpoint]: Extract<Answered<Answer<E>>, DryRun> extends never ? never : E;
}[Endpoint];

type Query<Given> = Given extends { readonly query?: infer Documented } ? Documented : never;
/** The paginated lists. */
export type List = {
  [E in Endpoint]: 'page' extends keyof Query<Operation<E>['parameters']> ? E : never;
}[Endpoint];

/** An item of a list. */
export type Item<E extends List> = Data<E> extends readonly (infer One)[] ? One : never;

export type Flag = Data<'GET /flags/{flag_id}'>;
export type Project = Data<'GET /projects/{project_id}'>;
export type Environment = Data<'GET /environments/{environment_id}'>;
