/**
 * The API as its document describes it. Types alone, of what `npm run typecheck` and `npm run build` make of
 * `/openapi.json`: what the document does not have does not compile.
 */
import type { components, paths } from '../../../generated/openapi.d.ts';

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';
type Path = keyof paths extends infer Key ? (Key extends `/api/v1${infer Rest}` ? Rest : never) : never;

/** An operation, by its method and its path below `/api/v1`: `GET /flags/{flag_id}`. */
export type Endpoint = {
  [At in Path]: {
    [By in Method]: paths[`/api/v1${At}`][By] extends object ? `${Uppercase<By>} ${At}` : never;
  }[Method];
}[Path];

type Operation<E extends Endpoint> = E extends `${infer By} ${infer At}`
  ? Extract<paths[`/api/v1${At}` & keyof paths][Lowercase<By> & Method], Described>
  : never;

/** What each operation has, as openapi-typescript writes it. */
interface Described {
  readonly parameters: object;
  readonly requestBody?: object;
  readonly responses: object;
}

type Json<Of> = Of extends { readonly content: { readonly 'application/json': infer Body } } ? Body : never;

/** What is undefined is not sent, so that it may stand wherever nothing may. */
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

/** Every operation takes a preference (RFC 7240), which the document does not say each time. */
type Headers<Given> = Given extends { readonly header?: infer Documented }
  ? Sparse<Documented & { readonly prefer?: string }>
  : never;

/** What an operation is given: the parts that the document has for it, needed where it needs them. */
export type Request<E extends Endpoint> = Parts<
  Operation<E>['parameters'] & Pick<Operation<E>, 'requestBody'>
> & { readonly headers?: Headers<Operation<E>['parameters']> };

type Responses<E extends Endpoint> = Operation<E>['responses'];
/** The whole body of an answer of success. */
export type Answer<E extends Endpoint> = Json<Responses<E>[keyof Responses<E> & (200 | 201 | 202)]>;
type Answered<Body> = Body extends { readonly data: infer Value } ? Value : never;

/** What a write answers that was asked what it would do. */
export type DryRun = Answered<components['schemas']['DryRunAnswer']>;

/** What an answer can warn of beside its data. */
export type Warning = DryRun['plan'][number]['warnings'][number];

/** The `data` of an answer of success; null where there is no body. */
export type Data<E extends Endpoint> =
  | Exclude<Answered<Answer<E>>, DryRun>
  | (204 extends keyof Responses<E> ? null : never);

/** The writes that can be asked what they would do. */
export type Change = {
  [E in Endpoint]: Extract<Answered<Answer<E>>, DryRun> extends never ? never : E;
}[Endpoint];

type Query<Given> = Given extends { readonly query?: infer Documented } ? Documented : never;
/** The lists that come in pages. */
export type List = {
  [E in Endpoint]: 'page' extends keyof Query<Operation<E>['parameters']> ? E : never;
}[Endpoint];

/** One of a list. */
export type Item<E extends List> = Data<E> extends readonly (infer One)[] ? One : never;

export type Flag = Data<'GET /flags/{flag_id}'>;
export type Project = Data<'GET /projects/{project_id}'>;
export type Environment = Data<'GET /environments/{environment_id}'>;
