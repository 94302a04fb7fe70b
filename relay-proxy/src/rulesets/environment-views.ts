import type { PublishedRuleset, RulesetVerifier, ServingPath } from '@flagsvc/reference-server/data-plane';
import type { Reply } from '@flagsvc/sdk-core/client';
import type { Upstream, View } from '../upstream/upstream.ts';
import type { EnvironmentFiles } from './environment-files.ts';
import { createRulesetView, type RulesetRefusal, type RulesetView } from './ruleset-view.ts';
import type { TrustedKeys } from './trusted-keys.ts';

/** The rulesets of one environment: that of server keys and, once a client key was used, that of client keys. */
export interface EnvironmentViews {
  /** Begins to use a view; does nothing if it is in use. */
  open(view: View, environmentId: string): void;
  current(view: View): PublishedRuleset | undefined;
  /** The tag of the ruleset of server keys; null when there is none. */
  tag(): string | null;
  signatureOf(published: PublishedRuleset): string | undefined;
  /** Fetches all views in use. A ruleset that cannot be used counts as a failed reply. */
  fetchAll(): Promise<{ readonly replies: readonly Reply[]; readonly isNew: boolean }>;
  /** Uses what is on disk. */
  restore(environmentId: string, verifier: RulesetVerifier): Promise<void>;
  /** Why the last ruleset was not used; undefined if it was. */
  refusal(): RulesetRefusal | undefined;
}

export interface EnvironmentViewsOptions {
  readonly upstream: Upstream;
  readonly trusted: TrustedKeys;
  readonly files: EnvironmentFiles;
  readonly prepare: ServingPath['prepare'];
  readonly log: { error(details: object, message: string): void };
}

/** The reply stands for a ruleset that cannot be used, so that it is fetched again after a pause. */
const UNUSABLE: Reply = { status: 0, code: 'NOT_DECODABLE' };

export function createEnvironmentViews(options: EnvironmentViewsOptions): EnvironmentViews {
  const { upstream, trusted, files, prepare, log } = options;
  const views = new Map<View, RulesetView>();
  let refusal: RulesetRefusal | undefined;

  const open = (view: View, environmentId: string): void => {
    if (views.has(view)) return;
    const file = files.ruleset(environmentId, view);
    views.set(view, createRulesetView({ environmentId, prepare, file }));
  };

  const fetchView = async ([view, of]: readonly [View, RulesetView]): Promise<Reply> => {
    const reply = await upstream.fetchRuleset(view, of.tag());
    if (reply.status !== 200) return reply;
    const verifier = await trusted.verifier(upstream);
    if (verifier === undefined) return UNUSABLE;
    const header = (name: string): string | null => reply.header?.(name) ?? null;
    const { data } = Object(reply.body) as { data?: unknown };
    const [tag, signature] = [header('etag'), header('x-flagsvc-signature')];
    const received = { data, tag, signature, epoch: header('x-flagsvc-epoch') };
    const before = refusal;
    refusal = await of.accept(received, verifier).catch(() => 'not a ruleset' as const);
    if (refusal === undefined) return reply;
    if (refusal !== before) {
      log.error(
        { view, refusal },
        'the server sent a ruleset that cannot be used; the last good one stays in use',
      );
    }
    return UNUSABLE;
  };

  return {
    open,
    current: (view) => views.get(view)?.current(),
    tag: () => views.get('server')?.tag() ?? null,
    signatureOf(published) {
      for (const view of views.values()) {
        const signature = view.signatureOf(published);
        if (signature !== undefined) return signature;
      }
      return undefined;
    },
    async fetchAll() {
      const all = [...views];
      const before = all.map(([, view]) => view.current());
      const replies = await Promise.all(all.map(fetchView));
      return { replies, isNew: all.some(([, view], index) => view.current() !== before[index]) };
    },
    async restore(environmentId, verifier) {
      for (const view of await files.savedViews(environmentId)) {
        open(view, environmentId);
        const fault = await views.get(view)!.restore(verifier);
        if (fault !== undefined) log.error({ view, refusal: fault }, 'the ruleset on disk cannot be used');
      }
    },
    refusal: () => refusal,
  };
}
