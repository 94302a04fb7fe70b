// The container's health check: exits with 0 when the server answers and its database does, or when a relay has a ruleset.
const isRelay = process.env.FLAGSVC_RELAY_UPSTREAM_URL !== undefined;
const port = isRelay ? (process.env.FLAGSVC_RELAY_PORT ?? '8100') : (process.env.FLAGSVC_PORT ?? '8000');
const response = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(3_000) }).catch(
  () => undefined,
);
process.exitCode = response?.ok ? 0 : 1;
