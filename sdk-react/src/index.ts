'use client';
/** The door for components. */
export type { FlagBootstrap } from '@flagsvc/sdk-core/client';
export { FlagProvider, type FlagProviderProps } from './provider.ts';
export {
  useClientStatus,
  useFlag,
  useFlagClient,
  useFlagDetails,
  useFlags,
  useSuspenseFlag,
} from './use-flag.ts';
