import { isSea } from 'node:sea';

/** How the user started the kit, for the commands that it prints. */
export const PROGRAM_NAME: string = isSea() ? 'flagsvc-conformance' : 'npx flagsvc-conformance';
