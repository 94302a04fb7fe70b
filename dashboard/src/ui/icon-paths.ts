import type { MORE_PATHS } from './more-icon-paths.ts';

/** Line drawings of 16 by 16 units, by name: those that the pages before a session need. */
export const BASE_PATHS = {
  check: 'm3 8.5 3.2 3.200L13 5',
  close: 'm4 4 8 8m0-8-8 8',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.500V4A1.5 1.5 0 0 0 9 2.500H4A1.5 1.5 0 0 0 2.5 4v5A1.5 1.5 0 0 0 4 10.500h1.5',
  down: 'm4 6 4 4 4-4',
  error: 'M2 8a6 6 0 1 0 12 0a6 6 0 1 0 -12 0M8 4.800v3.700M8 11v.1',
  external: 'M9 3h4v4M13 3 7.500 8.500M6.500 3.500h-3v9h9v-3',
  eye: 'M1.500 8s2.400-4.500 6.500-4.500S14.500 8 14.500 8 12.100 12.500 8 12.500 1.500 8 1.500 8zM6 8a2 2 0 1 0 4 0a2 2 0 1 0 -4 0',
  flag: 'M3.5 14V2.5m0 .5h8.2a.4.4 0 0 1 .3.6L10.5 6l1.5 2.4a.4.4 0 0 1-.3.6H3.5',
  info: 'M2 8a6 6 0 1 0 12 0a6 6 0 1 0 -12 0M8 7.300v3.900M8 4.900v.1',
  key: 'M2.2 10.8a3 3 0 1 0 6 0a3 3 0 1 0 -6 0M7.4 8.6l6-6M11 5l2 2',
  leave: 'M6.500 2.500h-4v11h4M7 8h7m-3-3 3 3-3 3',
  lock: 'M3.5 7h9v6.5h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2',
  mail: 'M2 3.5h12v9h-12zm2.5 4.5 5.5 4 5.5-4',
  question:
    'M2 8a6 6 0 1 0 12 0a6 6 0 1 0 -12 0M6.2 6.300C6.3 5.3 7 4.7 8 4.700s1.8.7 1.8 1.600c0 1.3-1.8 1.4-1.8 2.700M8 11.200v.1',
  user: 'M5.500 5.500a2.500 2.500 0 1 0 5 0a2.500 2.500 0 1 0 -5 0M3 13.500c0-2.500 2.200-4 5-4s5 1.500 5 4',
  warn: 'M8 2.5 14.3 13a.5.5 0 0 1-.4.7H2.100a.5.5 0 0 1-.4-.7zM8 6.500v3.200M8 11.600v.1',
} as const;

export type IconName = keyof typeof BASE_PATHS | keyof typeof MORE_PATHS;
