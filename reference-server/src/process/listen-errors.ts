import type { Config } from './config-variables.ts';

/** The reason why a server could not listen, with the variable to change. */
export function explainListenError(error: NodeJS.ErrnoException & { port?: number }, config: Config): string {
  const { host } = config;
  const isMetrics = error.port === config.metricsPort && error.port !== config.port;
  const [port, variable] = isMetrics
    ? [config.metricsPort, 'FLAGSVC_METRICS_PORT']
    : [config.port, 'FLAGSVC_PORT'];
  switch (error.code) {
    case 'EADDRINUSE':
      return `flagsvc cannot listen: port ${port} on ${host} is in use. Stop the program that uses it, or set ${variable} to another port.`;
    case 'EACCES':
      return `flagsvc cannot listen: port ${port} needs more privileges. Set ${variable} to a port above 1023.`;
    case 'ENOTFOUND':
    case 'EADDRNOTAVAIL':
      return `flagsvc cannot listen: ${host} is not an address of this machine. Set FLAGSVC_HOST to one that is.`;
    default:
      return `flagsvc cannot listen on ${host}, port ${port}: ${error.message}`;
  }
}
