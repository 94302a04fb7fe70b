/** The entry point for ESLint: finds unknown and archived flag keys in code that is not checked by types. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { VERSION } from './client/version.ts';
import { type DeclaredFlags, readDeclaration } from './typegen/read-declaration.ts';

/** Options of the rule `known-flags`. */
export interface KnownFlagsOptions {
  /** The file that `flagsvc-typegen` wrote, relative to ESLint's working folder. Default `src/flags.d.ts`. */
  readonly declaration?: string;
  /** More functions whose first argument is a flag key. */
  readonly functions?: readonly string[];
}

/** A node of the syntax tree, of which only some fields are read. */
interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The part of ESLint's context that is used. */
interface RuleContext {
  readonly options: readonly unknown[];
  readonly cwd: string;
  report(problem: { node: unknown; messageId: string; data: Record<string, string> }): void;
}

/** A rule in the shape of ESLint 9 and 10. */
export interface FlagRule {
  readonly meta: {
    readonly type: 'problem';
    readonly docs: { readonly description: string };
    readonly messages: Readonly<Record<string, string>>;
    readonly schema: readonly object[];
  };
  // biome-ignore lint/suspicious/noExplicitAny: ESLint's own types are not needed to run the rule
  create(context: any): Record<string, (node: any) => void>;
}

/** Functions whose first argument is a flag key. */
const HOOKS = ['useFlag', 'useFlagDetails', 'useSuspenseFlag'];
/** Methods of clients. They take a default value too, which other methods of these names seldom do. */
const METHODS = ['flag', 'flagDetails'];

const kept = new Map<string, { readonly changedAt: number; readonly flags: DeclaredFlags }>();

/** The flags of the declaration, read again when the file changes. Throws if it cannot be read. */
const flagsOf = (file: string): DeclaredFlags => {
  const changedAt = statSync(file).mtimeMs;
  const last = kept.get(file);
  if (last?.changedAt === changedAt) return last.flags;
  const flags = readDeclaration(readFileSync(file, 'utf8'));
  kept.set(file, { changedAt, flags });
  return flags;
};

/** The text of a string without variables; undefined for anything else. */
const textOf = (node: Node | null | undefined): string | undefined => {
  if (node?.type === 'JSXExpressionContainer') return textOf(node['expression'] as Node);
  if (node?.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node?.type !== 'TemplateLiteral') return;
  const [quasi, ...more] = node['quasis'] as { value: { cooked: string } }[];
  return more.length ? undefined : quasi!.value.cooked;
};

const readsFlag = (callee: Node, args: readonly Node[], functions: readonly string[]): boolean => {
  if (callee.type === 'Identifier') return functions.includes(callee['name'] as string);
  const property = callee['property'] as Node | undefined;
  const isMethod = callee.type === 'MemberExpression' && METHODS.includes(property?.['name'] as string);
  return isMethod && args.length > 1;
};

const knownFlags: FlagRule = {
  meta: {
    type: 'problem',
    docs: { description: 'Allow only flag keys that exist and are not archived' },
    messages: {
      unknown: 'There is no flag "{{key}}" in {{file}}. Correct the key, or run flagsvc-typegen again.',
      archived: 'The flag "{{key}}" is archived: it serves its default variation to every user. Remove it.',
      unreadable: '{{file}} cannot be read ({{reason}}). Write it with flagsvc-typegen --out.',
    },
    schema: [
      {
        type: 'object',
        properties: {
          declaration: { type: 'string' },
          functions: { type: 'array', items: { type: 'string' } },
        },
        additionalProperties: false,
      },
    ],
  },
  create(context: RuleContext) {
    const { declaration = 'src/flags.d.ts', functions = [] } = (context.options[0] ??
      {}) as KnownFlagsOptions;
    let flags: DeclaredFlags;
    try {
      flags = flagsOf(resolve(context.cwd, declaration));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const data = { file: declaration, reason: code ?? message };
      return { Program: (node) => context.report({ node, messageId: 'unreadable', data }) };
    }
    const check = (node: Node | null | undefined) => {
      const key = textOf(node);
      if (key === undefined) return;
      const messageId = !flags.has(key) ? 'unknown' : flags.get(key)!.isArchived ? 'archived' : undefined;
      if (messageId) context.report({ node, messageId, data: { key, file: declaration } });
    };
    const readers = [...HOOKS, ...functions];
    return {
      CallExpression(node: Node) {
        const args = node['arguments'] as readonly Node[];
        if (readsFlag(node['callee'] as Node, args, readers)) check(args[0]);
      },
      JSXAttribute(node: Node) {
        if ((node['name'] as Node)['name'] === 'flagKey') check(node['value'] as Node | null);
      },
    };
  },
};

/** The plugin for a flat configuration: `plugins: { flagsvc }, rules: { 'flagsvc/known-flags': 'error' }`. */
export const flagsvc: {
  readonly meta: { readonly name: string; readonly version: string };
  readonly rules: { readonly 'known-flags': FlagRule };
} = {
  meta: { name: '@flagsvc/sdk-node/eslint', version: VERSION },
  rules: { 'known-flags': knownFlags },
};
