import type { EvaluationResult, FlagDefault, FlagKey } from '@flagsvc/sdk-core';
import { createListeners, type Fault, type PageClient, toJson } from '@flagsvc/sdk-core/client';
import { type ActivityLog, createActivityLog } from './activity.ts';
import { detailsOf, toResult, toResults } from './override-results.ts';
import { createOverrideStore } from './override-store.ts';
import { type FlagOverrides, freezeJson, linkWithOverrides } from './override-text.ts';

/** Sets and removes the overrides of a page. Nothing is sent to the server. */
export interface Overrides {
  /** The current overrides. */
  values(): FlagOverrides;
  /**
   * Serves this value instead of the server's, also after a reload. Listeners hear of it before the call returns. Throws
   * a TypeError if the value is not JSON.
   */
  set<Key extends FlagKey>(flagKey: Key, value: FlagDefault<Key>): void;
  /** Removes the override of this flag, or without a key all overrides. */
  reset(flagKey?: FlagKey): void;
  /** The page's address with the current overrides, which sets them for anyone who opens it. */
  link(url?: string): string;
  /** The client without overrides. */
  readonly original: PageClient;
  /** Reads by the page, by flag key: the last result, and the default value that the page passed. */
  readonly reads: ReadonlyMap<string, FlagRead>;
  readonly log: ActivityLog;
}

/** The last read of a flag. */
export interface FlagRead {
  readonly result: Omit<EvaluationResult, 'value'> & { readonly value: unknown };
  readonly defaultValue: unknown;
}

/** A client with overrides. */
export interface Overridable {
  readonly overrides: Overrides;
}

const asJson = (value: unknown): string => {
  const text = toJson(value) as string | undefined;
  if (text === undefined) throw new TypeError('flagsvc: an override must be a JSON value');
  return text;
};

/** Text for the log, which takes any value. */
const show = (value: unknown): string => {
  try {
    return toJson(value) ?? String(value);
  } catch {
    return String(value);
  }
};

/** Notes which flags the page reads, and logs each read that differs from the last one. */
const createReads = (log: ActivityLog) => {
  const reads = new Map<string, FlagRead>();
  return {
    reads,
    note(flagKey: string, result: FlagRead['result'], defaultValue: unknown) {
      const before = reads.get(flagKey)?.result;
      reads.set(flagKey, { result, defaultValue });
      if (before && before.variation_key === result.variation_key && before.value === result.value) return;
      const kind = result.variation_key === null ? ' (the default value)' : '';
      log.add('read', `${flagKey} is ${show(result.value)}${kind}`);
    },
  };
};

/** Logs what happens to the client itself. */
const logClient = (client: PageClient, log: ActivityLog) => {
  client.on('status', (status) => log.add('status', status));
  client.on('error', ({ code, detail }) => log.add('fault', `${code} ${detail}`));
  client.on('change', (keys) => log.add('change', keys.join(', ')));
};

/**
 * A client whose overrides answer first. They come from the page's address (`?flagsvc-overrides={"new-checkout":true}`),
 * or else from a cookie. An override needs no flag on the server. Overridden flags are not counted as use. Use the
 * returned client everywhere in the page. Wrapping it again returns it unchanged.
 */
export const withOverrides = <Client extends PageClient>(client: Client): Client & Overridable => {
  if ('overrides' in client) return client as Client & Overridable;
  const store = createOverrideStore();
  const log = createActivityLog();
  const { reads, note } = createReads(log);
  let values = store.load();
  let results = toResults(values);
  const listeners = createListeners(({ code, detail }: Fault) =>
    console.warn(`flagsvc: override: ${code} ${detail}`),
  );
  client.on('change', (keys) => {
    const others = keys.filter((key) => !results.has(key));
    if (others.length) listeners.emit('change', others);
  });
  logClient(client, log);

  const become = (entries: (readonly [string, unknown])[], changed: readonly string[], text: string) => {
    // Entries, because the key `__proto__` is like any other.
    values = Object.freeze(Object.fromEntries(entries)) as FlagOverrides;
    const before = results;
    // An unchanged override stays the same object, so components do not render again.
    results = new Map(
      entries.map(([key, value]) => [key, (!changed.includes(key) && before.get(key)) || toResult(value)]),
    );
    store.save(values);
    log.add('override', text);
    if (changed.length) listeners.emit('change', changed);
  };
  const flagDetails = (flagKey: string, defaultValue: unknown, unseen?: boolean) => {
    const override = results.get(flagKey);
    const details = override
      ? detailsOf(override, defaultValue)
      : client.flagDetails(flagKey as FlagKey, defaultValue as never, unseen);
    if (unseen) return details;
    if (override && details !== override) listeners.report('TYPE_MISMATCH', flagKey);
    note(flagKey, details, defaultValue);
    return details;
  };
  const overridden = {
    flagDetails,
    flag: (flagKey: string, defaultValue: unknown) => flagDetails(flagKey, defaultValue).value,
    evaluateAll: () => Object.assign(client.evaluateAll(), Object.fromEntries(results)),
    on: ((name, listener) => (name === 'change' ? listeners : client).on(name, listener)) as PageClient['on'],
    off: ((name, listener) =>
      (name === 'change' ? listeners : client).off(name, listener)) as PageClient['off'],
    track: ((eventName, data) => {
      log.add('track', data === undefined ? eventName : `${eventName} ${show(data)}`);
      client.track(eventName, data);
    }) as PageClient['track'],
    setContext: ((context) => {
      log.add('context', show(context));
      return client.setContext(context);
    }) as PageClient['setContext'],
    overrides: {
      values: () => values,
      set(flagKey: FlagKey, value: unknown) {
        const copy = JSON.parse(asJson(value), freezeJson);
        const others = Object.entries(values).filter(([key]) => key !== flagKey);
        become([...others, [flagKey, copy]], [flagKey], `${flagKey} serves ${show(copy)}`);
      },
      reset(flagKey?: FlagKey) {
        const isGone = (key: string) => flagKey === undefined || key === flagKey;
        const gone = [...results.keys()].filter(isGone);
        const others = Object.entries(values).filter(([key]) => !isGone(key));
        if (gone.length) become(others, gone, `${gone.join(', ')} reset`);
      },
      link: (url = location.href) => linkWithOverrides(url, values),
      original: client,
      reads,
      log,
    },
  };
  // A copy with getters, because a client may compute its bootstrap.
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(client));
  return Object.assign(copy, overridden) as unknown as Client & Overridable;
};
