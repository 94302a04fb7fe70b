import type { FastifyBaseLogger } from 'fastify';
import type { Role } from '../control-plane/access/roles.ts';
import type { LoginFailures } from '../control-plane/features/auth/login-failures.ts';
import type { ServerPlugin } from '../control-plane/plugins/server-plugin.ts';
import type { UsageMeter } from '../data-plane/ports.ts';
import type { StreamSettings } from '../data-plane/stream/stream-hub.ts';
import type { BodyOptions } from '../http/body.ts';
import type { PageRequests } from '../http/page-requests.ts';
import type { RateLimiter } from '../http/rate-limit.ts';
import type { DeploymentMode, RegistrationMode } from '../lib/deployment-modes.ts';
import type { KeyStorage } from '../lib/key-storages.ts';
import { createOutbound, type Outbound } from '../outbound/outbound.ts';
import type { SendMail } from '../outbound/send-mail.ts';
import { RULESET_BYTES_MAX } from '../publishing/publish.ts';
import type { Database } from '../storage/database.ts';
import type { Listen } from '../storage/engine.ts';
import type { MetricsFacts, MetricsRegistry } from '../telemetry/metrics/metrics-registry.ts';
import type { Tracing } from '../telemetry/tracing/tracing.ts';

/** Limits that several nodes count together. */
export interface SharedLimits {
  readonly failures: LoginFailures;
  /** False while each node counts on its own. */
  isShared(): boolean;
}

/** Notices of commits between nodes. */
export interface CommitNotices {
  /** Sends a notice; must not throw and must not wait. */
  send(): void;
  readonly listen: Listen;
}

/**
 * Everything that the server needs from its host. `buildServer` reads no environment variable and opens neither file
 * nor socket.
 */
export interface ServerDeps {
  /** From `openDatabase`. The caller closes it after the app. */
  readonly db: Database;
  /** At least 32 characters; signs access tokens. */
  readonly jwtSecretKey: string;
  /** At least 32 characters; hashes API keys and tokens, and encrypts stored secrets. */
  readonly apiSecretKey: string;
  readonly limiter: RateLimiter;
  /** What the limiter's store shares with other nodes. Absent: failed logins are counted in this process. */
  readonly sharedLimits?: SharedLimits | undefined;
  /** Notifies other nodes of commits. Absent: only the database does. */
  readonly commitNotices?: CommitNotices | undefined;
  readonly version: string;
  /** Default `oss`. */
  readonly deploymentMode?: DeploymentMode;
  /** Origins that browsers may call from, or `*`; default none: no CORS headers. */
  readonly corsOrigins?: readonly string[];
  /** Proxy addresses and ranges whose `X-Forwarded-For` is trusted; default none. */
  readonly trustProxy?: readonly string[];
  /** Decides who can register; default `open`. The first user can register in every mode. */
  readonly registration?: RegistrationMode;
  /** True refuses common passwords; default false. */
  readonly passwordBlocklist?: boolean;
  /** Role of users who register after the first; default `viewer`. */
  readonly defaultRole?: Role;
  /** Hands an email to a mail server. Absent: each email is only logged, without its text. */
  readonly sendMail?: SendMail | undefined;
  /** Base address of links in emails, without a slash at its end; default `http://localhost:3000`. */
  readonly dashboardUrl?: string;
  /** Recognizes requests that come through the dashboard's address; absent: there is none. */
  readonly pageRequests?: PageRequests | undefined;
  /** Pause between passes of the background jobs; default: no jobs run until `app.runBackground()` is called. */
  readonly backgroundIntervalMs?: number;
  /** True refuses requests while the process is too overloaded to answer them in time; default false. */
  readonly shedsLoad?: boolean;
  /**
   * True serves rulesets and evaluations by the fast path: the same bytes for less processor time. Unchanged polls then
   * skip the hooks of the app. Default false.
   */
  readonly fastPath?: boolean;
  /** Creates `app.metrics`. Absent: nothing is recorded. */
  readonly createMetrics?: ((facts: MetricsFacts) => MetricsRegistry) | undefined;
  /** The port of `/metrics`, which admins are shown; absent or null: metrics are not served. */
  readonly metricsPort?: number | null;
  /** Traces requests, statements and webhooks. Absent: nothing is traced. */
  readonly tracing?: Tracing | undefined;
  /** Records usage for billing. Absent: nothing is recorded. */
  readonly meter?: UsageMeter | undefined;
  /** Limits of open streams; default `STREAM_DEFAULTS`. */
  readonly streams?: Partial<StreamSettings>;
  /** Calls webhooks; default: public addresses over https only. */
  readonly outbound?: Outbound;
  /** A random number from 0 to 1, which spreads retries and draws samples. Default `Math.random`. */
  readonly random?: () => number;
  /** Default: logs nothing. */
  readonly logger?: FastifyBaseLogger;
  /** Maximum size of an environment's compiled ruleset as JSON; default 20 MiB. */
  readonly rulesetBytesMax?: number;
  /** Limits of request bodies that are still arriving (decisions/0036). */
  readonly bodies?: BodyOptions;
  /** How the keys of users and units in exposures and track events are stored; default `hashed`. */
  readonly eventKeys?: KeyStorage;
  /** Days for which the key of a deleted flag is reserved; default 365. */
  readonly keyReservationDays?: number;
  /** Extensions, in order; default none. `buildServer` throws a PluginError that names a plugin that cannot be used. */
  readonly plugins?: readonly ServerPlugin[];
  /** Wall clock, milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number;
}

type Defaulted =
  | 'deploymentMode'
  | 'corsOrigins'
  | 'trustProxy'
  | 'registration'
  | 'passwordBlocklist'
  | 'defaultRole'
  | 'dashboardUrl'
  | 'shedsLoad'
  | 'fastPath'
  | 'outbound'
  | 'random'
  | 'rulesetBytesMax'
  | 'eventKeys'
  | 'plugins'
  | 'now';

/** `ServerDeps` with the defaults filled in. */
export type ServerSettings = ServerDeps &
  Required<Pick<ServerDeps, Defaulted>> & {
    /** Milliseconds from a clock that never goes back. */
    readonly monotonic: () => number;
  };

export function withDefaults(deps: ServerDeps): ServerSettings {
  return {
    ...deps,
    deploymentMode: deps.deploymentMode ?? 'oss',
    corsOrigins: deps.corsOrigins ?? [],
    trustProxy: deps.trustProxy ?? [],
    registration: deps.registration ?? 'open',
    passwordBlocklist: deps.passwordBlocklist ?? false,
    defaultRole: deps.defaultRole ?? 'viewer',
    dashboardUrl: deps.dashboardUrl ?? 'http://localhost:3000',
    shedsLoad: deps.shedsLoad ?? false,
    fastPath: deps.fastPath ?? false,
    outbound: deps.outbound ?? createOutbound({ allowHttp: false, ranges: [], ports: [] }),
    random: deps.random ?? Math.random,
    rulesetBytesMax: deps.rulesetBytesMax ?? RULESET_BYTES_MAX,
    eventKeys: deps.eventKeys ?? 'hashed',
    plugins: deps.plugins ?? [],
    now: deps.now ?? Date.now,
    // A test that passes a clock thus controls both clocks.
    monotonic: deps.now ?? (() => performance.now()),
  };
}
