import type { Config } from './config-variables.ts';

/** The reason why a server could not listen, with the variable to change. */
export function explainListenError(error: NodeJS.ErrnoException & { port?: number }, config: Config): string {
  const { port, variable, host, hostVariable, remedy } = listenerOf(error, config);
  switch (error.code) {
    case 'EADDRINUSE':
      return `flagsvc cannot listen: port ${port} on ${host} is in use. Stop the program that uses it, or set ${variable} to another port${remedy}.`;
    case 'EACCES':
      return `flagsvc cannot listen: port ${port} needs more privileges. Set ${variable} to a port above 1023.`;
    case 'ENOTFOUND':
    case 'EADDRNOTAVAIL':
      return `flagsvc cannot listen: ${host} is not an address of this machine. Set ${hostVariable} to one that is.`;
    default:
      return `flagsvc cannot listen on ${host}, port ${port}: ${error.message}`;
  }
}

/** The listener that failed, by the port in the error. */
function listenerOf({ port: failed }: { readonly port?: number }, config: Config) {
  const { host, port, metricsPort, dashboardPort, dashboardHost } = config;
  const onHost = { host, hostVariable: 'FLAGSVC_HOST', remedy: '' };
  if (failed === metricsPort && failed !== port)
    return { ...onHost, port: metricsPort, variable: 'FLAGSVC_METRICS_PORT' };
  if (failed === dashboardPort && failed !== port) {
    return {
      port: dashboardPort,
      variable: 'FLAGSVC_DASHBOARD_PORT',
      host: dashboardHost,
      hostVariable: 'FLAGSVC_DASHBOARD_HOST',
      remedy: ', or to "off" to serve no dashboard',
    };
  }
  return { ...onHost, port, variable: 'FLAGSVC_PORT' };
}
