import { type Fault, faultText } from '@flagsvc/sdk-core/client';

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** The log line of a fault: in words, except in a production bundle, where it is the code alone. */
export let logLine = ({ code, detail }: Fault): string => `flagsvc: ${code} ${detail}`;

/** What only a page must allow. The browser says in a line of its own which of them is missing. */
const inWords = (fault: Fault): string =>
  fault.code === 'NETWORK'
    ? faultText(fault).replace(
        'the network',
        "the network, this page's origin in FLAGSVC_CORS_ORIGINS, and connect-src",
      )
    : faultText(fault);

// Bundlers replace the expression, and drop the texts from a production bundle. Without a bundler, `process` does not
// exist.
try {
  if (process.env.NODE_ENV !== 'production') logLine = inWords;
} catch {
  logLine = inWords;
}
