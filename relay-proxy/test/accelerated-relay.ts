/** A relay whose clock runs `ACCELERATION` times faster than the clock of the machine. */
import { createServerLog, urlOf } from '@flagsvc/reference-server/data-plane';
import { parseConfig } from '../src/config/parse-config.ts';
import { systemClock } from '../src/platform/system-clock.ts';
import { createRelay } from '../src/process/create-relay.ts';
import { ACCELERATION } from './acceleration.ts';

const startedAt = systemClock.monotonic();
const elapsedMs = (): number => (systemClock.monotonic() - startedAt) * ACCELERATION;
const result = parseConfig(process.env, () => '');
if ('faults' in result) throw new Error(JSON.stringify(result.faults));
const { config } = result;
const logger = createServerLog({ level: config.logLevel, color: false });
const began = Date.now();
const { app, start } = await createRelay({
  config,
  version: '0.0.0',
  logger,
  clock: {
    now: () => began + elapsedMs(),
    monotonic: elapsedMs,
    // Requests take real time, so their timeouts of 3 s and more must stay long enough.
    setTimer: (callback, delayMs, hold) =>
      systemClock.setTimer(callback, Math.max(delayMs / ACCELERATION, delayMs < 3_000 ? 0 : 500), hold),
    clearTimer: systemClock.clearTimer,
  },
});
await app.ready();
await start();
await app.listen({ host: config.host, port: config.port });
logger.info(`relay listening on ${urlOf(app.server, config.host)}`);
