/** QuickJS, compiled to WebAssembly: an interpreter that shares nothing with the browsers' engines. */
import { readFileSync } from 'node:fs';
import { type Engine, installed } from './engine.ts';

/** The part of quickjs-emscripten that is used: it is installed on demand, so its types may not be there. */
interface QuickJs {
  getQuickJS(): Promise<{ newContext(): Context }>;
}
interface Context {
  readonly runtime: { setMaxStackSize(bytes: number): void };
  readonly global: Handle;
  newString(text: string): Handle;
  setProp(object: Handle, name: string, value: Handle): void;
  evalCode(code: string): { readonly error?: Handle; readonly value: Handle };
  dump(handle: Handle): unknown;
  unwrapResult(result: { readonly error?: Handle; readonly value: Handle }): Handle;
  dispose(): void;
}
interface Handle {
  dispose(): void;
}

export const quickjs: Engine = {
  name: 'QuickJS',
  engine: 'QuickJS',
  async run({ classic }, questions) {
    const manifest = installed('quickjs-emscripten/package.json');
    if (!manifest) return { missing: 'not installed' };
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
    const name = 'quickjs-emscripten';
    const { getQuickJS } = (await import(name)) as QuickJs;
    const context = (await getQuickJS()).newContext();
    const evaluate = (code: string): unknown => {
      const handle = context.unwrapResult(context.evalCode(code));
      const value = context.dump(handle);
      handle.dispose();
      return value;
    };
    try {
      const text = context.newString(questions);
      context.setProp(context.global, 'questions', text);
      text.dispose();
      evaluate(classic);
      return { version: `emscripten ${version}`, answers: String(evaluate('flagsvc.answersTo(questions)')) };
    } finally {
      context.dispose();
    }
  },
};
