import type { Option } from './option.ts';
import { ACCESS_OPTIONS } from './option-tables/access-options.ts';
import { CONTEXT_OPTIONS } from './option-tables/context-options.ts';
import { FILE_OPTIONS } from './option-tables/file-options.ts';
import { FLAG_OPTIONS } from './option-tables/flag-options.ts';
import { GENERAL_OPTIONS } from './option-tables/general-options.ts';
import { PLACE_OPTIONS } from './option-tables/place-options.ts';
import { TIME_OPTIONS } from './option-tables/time-options.ts';
import { WEBHOOK_OPTIONS } from './option-tables/webhook-options.ts';

/** All options of all commands. */
export const OPTIONS = {
  ...GENERAL_OPTIONS,
  ...FLAG_OPTIONS,
  ...PLACE_OPTIONS,
  ...CONTEXT_OPTIONS,
  ...ACCESS_OPTIONS,
  ...FILE_OPTIONS,
  ...TIME_OPTIONS,
  ...WEBHOOK_OPTIONS,
} as const satisfies Record<string, Option>;

export type OptionName = keyof typeof OPTIONS;

/** Summary of `--environment` for commands that only read. */
export const READ_ENVIRONMENT =
  "Environment key or id. Default: FLAGSVC_ENVIRONMENT, then the project's default environment.";

/** The options of every command. */
export const GLOBAL_OPTIONS = ['url', 'json', 'help'] as const satisfies readonly OptionName[];

/** The values of the given options, by option name. */
export type OptionValues = {
  readonly [Name in OptionName]?: (typeof OPTIONS)[Name] extends { multiple: true }
    ? readonly string[]
    : (typeof OPTIONS)[Name] extends { values: readonly (infer Value)[] }
      ? Value
      : (typeof OPTIONS)[Name]['type'] extends 'string'
        ? string
        : boolean;
};
