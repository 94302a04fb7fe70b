/** The token of an `Authorization: Bearer …`; undefined when the header is absent or has another form. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer ([^\s]+)$/i.exec(authorization ?? '')?.[1];
}
