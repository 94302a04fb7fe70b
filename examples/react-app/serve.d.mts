/** Starts the app and gives its address. */
export function serveApp(options: {
  /** A key of kind `client`. */
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Gives an access token; with it the page may switch and roll out. Default: it may not. */
  readonly accessToken?: () => Promise<string>;
  /** Default: a free one. */
  readonly port?: number;
  /** What Vite has built. Default `dist`. */
  readonly folder?: string;
}): Promise<{ readonly address: string; close(): Promise<void> }>;
