/** QuickJS, compiled to WebAssembly: an interpreter that shares no code with the browsers' engines. */
import { readFileSync } from 'node:fs';
import { type Engine, installed } from './engine.ts';

/** The part of quickjs-emscripten that this module uses. The package is installed on demand, so its own types may be missing. */
interface QuickJs {
  newQuickJSWASMModule(variant?: unknown): Promise<{ newContext(): Context }>;
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

/** `variant` names a package with another build of QuickJS. */
const createQuickJs = (name: string, variant?: string): Engine => ({
  name,
  engine: 'QuickJS',
  async run({ classic }, input) {
    const manifest = installed('quickjs-emscripten/package.json');
    if (!manifest || (variant && !installed(`${variant}/package.json`))) return { missing: 'not installed' };
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
    const [package_, build] = ['quickjs-emscripten', variant];
    const { newQuickJSWASMModule } = (await import(package_)) as QuickJs;
    const context = (await newQuickJSWASMModule(build && (await import(build)))).newContext();
    const evaluate = (code: string): unknown => {
      const handle = context.unwrapResult(context.evalCode(code));
      const value = context.dump(handle);
      handle.dispose();
      return value;
    };
    try {
      const text = context.newString(input);
      context.setProp(context.global, 'input', text);
      text.dispose();
      evaluate(classic);
      return { version: `emscripten ${version}`, answers: String(evaluate('flagsvc.evaluateAll(input)')) };
    } finally {
      context.dispose();
    }
  },
});

export const quickjs: readonly Engine[] = [
  createQuickJs('QuickJS'),
  createQuickJs('QuickJS-NG', '@jitl/quickjs-ng-wasmfile-release-sync'),
];
