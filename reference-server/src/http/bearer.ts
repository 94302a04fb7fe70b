/** The token of an `Authorization: Bearer …`; undefined when the header reads otherwise or is absent. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer ([^\s]+)$/i.exec(authorization ?? '')?.[1];
}
