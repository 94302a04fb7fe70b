/** The entry point for Vite: keeps the declaration of your flags up to date while you develop. */
import { relative, resolve } from 'node:path';
import { keepDeclaration } from './typegen/keep-declaration.ts';
import { isAddress } from './typegen/read-ruleset.ts';

/** Options of `flagTypes`. */
export interface FlagTypesOptions {
  /** The address of the API with its prefix, or a file with a ruleset, relative to Vite's root. */
  readonly source: string;
  /** The declaration, relative to Vite's root. Default `src/flags.d.ts`. */
  readonly out?: string | undefined;
  /** A folder with JSON Schemas, `<flag key>.schema.json`, for the types of JSON flags; relative to Vite's root. */
  readonly schemas?: string | undefined;
  /** An SDK key of the environment. Default: `FLAGSVC_API_KEY` of the process. */
  readonly apiKey?: string | undefined;
}

/** The part of a Vite plugin that is used. */
export interface FlagTypesPlugin {
  readonly name: string;
  readonly apply: 'serve';
  configureServer(server: {
    readonly config: {
      readonly root: string;
      readonly logger: { info(text: string): void; warn(text: string): void };
    };
    readonly httpServer: { once(event: 'close', listener: () => void): unknown } | null;
  }): Promise<void>;
  closeBundle(): void;
}

/**
 * A plugin for the development server that writes the declaration at the start and after each change of the flags. A
 * server of flags that is away, or a missing key, is a warning: the last declaration stays. Builds are left alone; there,
 * `flagsvc-typegen --check` compares.
 */
export const flagTypes = ({
  source,
  out = 'src/flags.d.ts',
  schemas,
  apiKey = process.env['FLAGSVC_API_KEY'],
}: FlagTypesOptions): FlagTypesPlugin => {
  let stop = () => {};
  return {
    name: 'flagsvc-types',
    apply: 'serve',
    async configureServer({ config: { root, logger }, httpServer }) {
      const controller = new AbortController();
      const file = resolve(root, out);
      const warn = (line: string) => logger.warn(`flagsvc: ${line}`);
      if (httpServer) httpServer.once('close', () => controller.abort());
      // A server in middleware mode has no socket of its own.
      else stop = () => controller.abort();
      try {
        await keepDeclaration({
          source: isAddress(source) ? source : resolve(root, source),
          apiKey,
          out: file,
          schemas: schemas === undefined ? undefined : resolve(root, schemas),
          signal: controller.signal,
          onWritten: () => logger.info(`flagsvc: wrote ${relative(root, file)}`),
          onFault: warn,
        });
      } catch (error) {
        warn((error as Error).message);
      }
    },
    closeBundle: () => stop(),
  };
};
