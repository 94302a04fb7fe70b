/** Starts the shop and gives its address. */
export function serveShop(options: {
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Default: a free one. */
  readonly port?: number;
}): Promise<{ readonly address: string; close(): Promise<void> }>;
