import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readOperations } from './system-calls.ts';

const hex = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');

test('joins a call that the log splits around a call of another thread', () => {
  const call = ['pwrite64(22<', hex('/flags.db'), '>, "', hex('page'), '", 4, 8192', ')            = 4'];
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-strace-'));
  const log = join(folder, 'strace.log');
  try {
    for (const cut of [call.length - 1, call.length]) {
      const [begun, rest] = [call.slice(0, cut).join(''), call.slice(cut).join('')];
      const lines = [
        rest === '' ? `7 ${begun}` : `7 ${begun} <unfinished ...>`,
        '8 fsync(22</elsewhere>) = 0',
        ...(rest === '' ? [] : [`7 <... pwrite64 resumed>${rest}`]),
      ];
      writeFileSync(log, lines.join('\n'));
      expect(readOperations(log, ['/flags.db'])).toEqual([
        { kind: 'write', file: '/flags.db', offset: 8192, bytes: Buffer.from('page') },
      ]);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
