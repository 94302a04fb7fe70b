import type { Answer, Hello } from '../adapter/messages.ts';
import { describe, type Session } from '../adapter/session.ts';
import type { Endpoint } from '../scripted-server/replies.ts';
import {
  createScriptedPlane,
  type ScriptedPlane,
  type SeenRequest,
} from '../scripted-server/scripted-server.ts';
import { TRAPS } from '../scripted-server/tls-faults.ts';
import type { Kept } from '../suite/matcher.ts';
import type { LoadedScenario } from './load.ts';
import { createRealTime, createVirtualTime, type ScenarioTime } from './scenario-time.ts';
import type { ClientConfig } from './types.ts';

/** A step was not as it should be; the message says how. */
export class StepFailure extends Error {
  readonly expected: unknown;
  readonly actual: unknown;
  constructor(message: string, expected?: unknown, actual?: unknown) {
    super(message);
    this.expected = expected;
    this.actual = actual;
  }
}

/** The adapter did not do what it was asked, which is no verdict about the SDK. */
export class StepSkipped extends Error {}
/** The adapter did not answer. */
export class StepCrash extends Error {}

/** Everything that a scenario's steps act on. */
export interface Stage {
  readonly session: Session;
  readonly plane: ScriptedPlane;
  readonly time: ScenarioTime;
  readonly kept: Kept;
  /** What was started and not yet ended, by name and client. */
  readonly running: Map<string, { readonly promise: Promise<Answer>; answer: Answer | undefined }>;
  /** Keys of the clients that were created. */
  readonly keys: Set<string>;
  /** What adapters told in notifications, for the check that no key leaks. */
  readonly told: string[];
  /** Heap of the last `memory` step. */
  heap: number | undefined;
  /** Two processes with one key: their fetches may overlap. */
  forked: boolean;
  /** Asks; anything but `ok` throws. */
  ask(cmd: string, fields?: object): Promise<unknown>;
  /** Creates a client; gives the raw answer. */
  create(id: string, config: Readonly<Record<string, unknown>>, inside?: 'worker'): Promise<Answer>;
  /** The next request of an endpoint that no step has looked at; undefined when there is none yet. */
  unseen(endpoint: Endpoint): SeenRequest | undefined;
  /** Marks a request as looked at. */
  look(request: SeenRequest): void;
  close(): Promise<void>;
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

/** How scenarios are played where there is no clock to move. */
export interface ScenarioOptions {
  /** Real milliseconds for one of the scenario. */
  readonly scale: number;
  /** How late a client may be, in real time. */
  readonly lateMs?: number;
}

/** Which time a scenario is played in, given what the adapter can do. */
export const timeOf = (
  { clock = 'any' }: Pick<LoadedScenario, 'clock'>,
  hello: Hello,
): ScenarioTime['kind'] | undefined => {
  const movable = hello.capabilities.includes('clock');
  if (clock === 'real') return 'real';
  if (movable) return 'virtual';
  return clock === 'any' ? 'scaled' : undefined;
};

/** Sets everything up for one scenario. */
export const createStage = async (
  session: Session,
  scenario: LoadedScenario,
  kind: ScenarioTime['kind'],
  { scale, lateMs }: ScenarioOptions,
): Promise<Stage> => {
  const time: ScenarioTime =
    kind === 'virtual'
      ? createVirtualTime(session, () => plane)
      : createRealTime(kind === 'real' ? 1 : scale, lateMs);
  const plane: ScriptedPlane = await createScriptedPlane({
    after: time.after,
    now: time.stampNow,
    wallMs: time.wallMs,
  });
  const looked = new Set<SeenRequest>();
  /** Before these places no request of the endpoint is unseen: there may be a hundred thousand. */
  const passed = new Map<Endpoint, number>();
  const keys = new Set<string>();
  const ask = async (cmd: string, fields: object = {}) => read(await session.ask({ cmd, ...fields }), cmd);
  if (kind === 'virtual') await ask('clock.start', { now: time.wallMs() });
  return {
    session,
    plane,
    time,
    kept: new Map(),
    running: new Map(),
    keys,
    told: [],
    heap: undefined,
    forked: false,
    ask,
    async create(id, config, inside) {
      const whole = { ...DEFAULTS, baseUrl: plane.baseUrl, ...scenario.config, ...config };
      keys.add(whole.apiKey);
      const baseUrl = await addressOf(String(whole.baseUrl), plane);
      return session.ask({
        cmd: 'client.create',
        id,
        config: scaled({ ...whole, baseUrl }, time.scale),
        ...(inside && { inside }),
      });
    },
    unseen(endpoint) {
      const { requests } = plane;
      let at = passed.get(endpoint) ?? 0;
      while (at < requests.length && (requests[at]!.endpoint !== endpoint || looked.has(requests[at]!))) at++;
      passed.set(endpoint, at);
      return requests[at];
    },
    look: (request) => void looked.add(request),
    async close() {
      await session.ask({ cmd: 'reset' });
      if (kind === 'virtual') await session.ask({ cmd: 'clock.stop' });
      await plane.close();
    },
  };
};

/** `{base}` in a base address is the plane's, `{expired}` and `{slow-tls}` are its traps. */
const addressOf = async (text: string, plane: ScriptedPlane): Promise<string> => {
  const trap = TRAPS.find((name) => text === `{${name}}`);
  return trap ? plane.trap(trap) : text.replace('{base}', plane.baseUrl);
};

/** Times of a configuration in real milliseconds. */
const scaled = (config: Record<string, unknown>, scale: number): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(config)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => {
        if (name.endsWith('Ms') && typeof value === 'number') return [name, Math.max(1, value * scale)];
        return [name, value];
      }),
  );

/** The value of an answer; throws what any other kind of answer means for a scenario. */
export const read = (answer: Answer, cmd: string): unknown => {
  if (answer.kind === 'ok') return answer.value;
  if (answer.kind === 'skipped') throw new StepSkipped(`${cmd}: ${answer.reason}`);
  if (answer.kind === 'crash') throw new StepCrash(`${cmd}: ${answer.message}`);
  throw new StepFailure(`${cmd} threw ${describe(answer)}`);
};
