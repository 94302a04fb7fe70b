import type { Answer, Hello } from '../adapter/messages.ts';
import { describe, type Session } from '../adapter/session.ts';
import type { Endpoint } from '../scripted-server/replies.ts';
import {
  createScriptedServer,
  type ScriptedServer,
  type SeenRequest,
} from '../scripted-server/scripted-server.ts';
import { TLS_FAULTS } from '../scripted-server/tls-faults.ts';
import type { SavedValues } from '../suite/matcher.ts';
import type { LoadedScenario } from './load.ts';
import { createRealTime, createVirtualTime, type ScenarioTime } from './scenario-time.ts';
import type { ClientConfig } from './types.ts';

/** A step did not have the expected outcome; the message says how. */
export class StepFailure extends Error {
  readonly expected: unknown;
  readonly actual: unknown;
  constructor(message: string, expected?: unknown, actual?: unknown) {
    super(message);
    this.expected = expected;
    this.actual = actual;
  }
}

/** The adapter could not run the command, which says nothing about the SDK. */
export class StepSkipped extends Error {}
/** The adapter did not answer. */
export class StepCrash extends Error {}

/** Everything that the steps of a running scenario act on. */
export interface ScenarioState {
  readonly session: Session;
  readonly server: ScriptedServer;
  readonly time: ScenarioTime;
  readonly saved: SavedValues;
  /** Calls that were started, by method and client. */
  readonly running: Map<string, RunningCall>;
  /** API keys of the clients that were created. */
  readonly keys: Set<string>;
  /** Notifications and error messages of clients, to check that they contain no key. */
  readonly notifications: string[];
  /** Heap size at the last `memory` step. */
  heapBytes: number | undefined;
  /** True once two processes use the same key, so that their fetches may overlap. */
  isForked: boolean;
  /** Sends a command and returns its value. Throws unless the answer is `ok`. */
  ask(cmd: string, fields?: object): Promise<unknown>;
  /** Creates a client and returns the adapter's answer. */
  create(id: string, config: Readonly<Record<string, unknown>>, inside?: 'worker'): Promise<Answer>;
  /** The endpoint's next request that no step has checked; undefined when there is none yet. */
  nextUnchecked(endpoint: Endpoint): SeenRequest | undefined;
  markChecked(request: SeenRequest): void;
  close(): Promise<void>;
}

/** A call that was started and may have settled. */
export interface RunningCall {
  readonly promise: Promise<Answer>;
  /** Undefined until the call settles. */
  answer: Answer | undefined;
}

const DEFAULTS: Omit<ClientConfig, 'baseUrl'> = {
  apiKey: 'sdk-dev-SECRETone',
  pollIntervalMs: 30_000,
  requestTimeoutMs: 10_000,
  retryBaseMs: 1_000,
  events: false,
  flushIntervalMs: 10_000,
  maxPendingEvents: 5_000,
  seed: 1,
  stream: false,
};

/** How scenarios run without a virtual clock. */
export interface ScenarioOptions {
  /** Real milliseconds per millisecond of scenario time. */
  readonly scale: number;
  /** How late a client may be, in real milliseconds. */
  readonly lateMs?: number;
}

/** The kind of time that a scenario runs in with this adapter; undefined if the adapter cannot run it. */
export const timeOf = (
  { clock = 'any' }: Pick<LoadedScenario, 'clock'>,
  hello: Hello,
): ScenarioTime['kind'] | undefined => {
  if (clock === 'real') return 'real';
  if (hello.capabilities.includes('clock')) return 'virtual';
  return clock === 'any' ? 'scaled' : undefined;
};

/** Starts the scripted server and the clock for one scenario. */
export const createScenarioState = async (
  session: Session,
  scenario: LoadedScenario,
  { kind, scale, lateMs }: ScenarioOptions & { readonly kind: ScenarioTime['kind'] },
): Promise<ScenarioState> => {
  const time: ScenarioTime =
    kind === 'virtual'
      ? createVirtualTime(session, () => server)
      : createRealTime(kind === 'real' ? 1 : scale, lateMs);
  const server: ScriptedServer = await createScriptedServer({
    after: time.after,
    now: time.stampNow,
    wallMs: time.wallMs,
  });
  const checked = new Set<SeenRequest>();
  /**
   * Where the search for unchecked requests continues; it would be slow to begin at the first of a hundred thousand.
   */
  const searchFrom = new Map<Endpoint, number>();
  const keys = new Set<string>();
  const ask = async (cmd: string, fields: object = {}) =>
    answerValue(await session.ask({ cmd, ...fields }), cmd);
  if (kind === 'virtual') await ask('clock.start', { now: time.wallMs() });
  return {
    session,
    server,
    time,
    saved: new Map(),
    running: new Map(),
    keys,
    notifications: [],
    heapBytes: undefined,
    isForked: false,
    ask,
    async create(id, config, inside) {
      const whole = { ...DEFAULTS, baseUrl: server.baseUrl, ...scenario.config, ...config };
      keys.add(whole.apiKey);
      const baseUrl = await resolveBaseUrl(String(whole.baseUrl), server);
      return session.ask({
        cmd: 'client.create',
        id,
        config: scaleTimes({ ...whole, baseUrl }, time.scale),
        ...(inside && { inside }),
      });
    },
    nextUnchecked(endpoint) {
      const { requests } = server;
      let at = searchFrom.get(endpoint) ?? 0;
      while (at < requests.length && (requests[at]!.endpoint !== endpoint || checked.has(requests[at]!)))
        at++;
      searchFrom.set(endpoint, at);
      return requests[at];
    },
    markChecked: (request) => void checked.add(request),
    async close() {
      await session.ask({ cmd: 'reset' });
      if (kind === 'virtual') await session.ask({ cmd: 'clock.stop' });
      await server.close();
    },
  };
};

/**
 * `{base}` is the scripted server's address; `{expired}` and `{slow-tls}` are the addresses of its servers with these
 * TLS faults.
 */
const resolveBaseUrl = async (text: string, server: ScriptedServer): Promise<string> => {
  const fault = TLS_FAULTS.find((name) => text === `{${name}}`);
  return fault ? server.baseUrlOf(fault) : text.replace('{base}', server.baseUrl);
};

/** The configuration with all its times in real milliseconds. */
const scaleTimes = (config: Record<string, unknown>, scale: number): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(config)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => {
        if (name.endsWith('Ms') && typeof value === 'number') return [name, Math.max(1, value * scale)];
        return [name, value];
      }),
  );

/** The value of an `ok` answer. For any other answer, throws a StepSkipped, StepCrash or StepFailure. */
export const answerValue = (answer: Answer, cmd: string): unknown => {
  if (answer.kind === 'ok') return answer.value;
  if (answer.kind === 'skipped') throw new StepSkipped(`${cmd}: ${answer.reason}`);
  if (answer.kind === 'crash') throw new StepCrash(`${cmd}: ${answer.message}`);
  throw new StepFailure(`${cmd} threw ${describe(answer)}`);
};
