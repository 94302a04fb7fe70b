// The container's health check: exits with 0 when the server answers and its database does.
const port = process.env.FLAGSVC_PORT ?? '8000';
const response = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(3_000) }).catch(
  () => undefined,
);
process.exitCode = response?.ok ? 0 : 1;
