import type { OtlpConfig } from './otlp-config.ts';
import type { Otlp, OtlpOptions } from './start-otlp.ts';

/** OpenTelemetry's packages, which are optional dependencies, are not installed. */
export class OtlpMissing extends Error {
  constructor(cause: Error) {
    super(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages of OpenTelemetry are not installed; install the optional dependencies of @flagsvc/reference-server (npm install --include=optional), or unset the variable',
      { cause },
    );
  }
}

/** Loads OpenTelemetry and starts the export. Throws OtlpMissing when the packages are not installed. */
export async function loadOtlp(config: OtlpConfig, options: OtlpOptions): Promise<Otlp> {
  const { startOtlp } = await import('./start-otlp.ts').catch((error: Error & { code?: unknown }) => {
    throw error.code === 'ERR_MODULE_NOT_FOUND' ? new OtlpMissing(error) : error;
  });
  return startOtlp(config, options);
}
