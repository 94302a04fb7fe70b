'use client';
/** The entry point for components. */
export type { Context, EvaluationResult } from '@flagsvc/sdk-core';
export type { ClientStatus, FlagBootstrap, FlagDetails, PageClient } from '@flagsvc/sdk-core/client';
export { FlagProvider, type FlagProviderProps } from './hooks/provider.ts';
export { useClientStatus } from './hooks/use-answer.ts';
export {
  type SuspenseOptions,
  useFlag,
  useFlagClient,
  useFlagDetails,
  useFlags,
  useSuspenseFlag,
  useTrack,
} from './hooks/use-flag.ts';
