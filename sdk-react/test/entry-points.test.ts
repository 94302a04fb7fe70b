import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const dist = join(import.meta.dirname, '..', 'dist');
const lacksBuild = !existsSync(join(dist, 'server.js'));
const skipped = lacksBuild ? ' (skipped: sdk-react is not built)' : '';

test.skipIf(lacksBuild)(
  `the entry point for components says 'use client', and the one for servers does not${skipped}`,
  () => {
    /** The directives at the start of a file. */
    const directivesOf = (file: string) =>
      /^(?:\s*(['"])[\w ]+\1;?)*/.exec(readFileSync(join(dist, file), 'utf8'))![0].match(/[\w ]{4,}/g) ?? [];
    for (const file of ['index.js', 'index.cjs', 'testing.js', 'testing.cjs'])
      expect([file, ...directivesOf(file)]).toContain('use client');
    for (const file of ['server.js', 'server.cjs'])
      expect([file, ...directivesOf(file)]).not.toContain('use client');
  },
);

test.skipIf(lacksBuild)(
  `the server entry point loads where React has no hooks and no context${skipped}`,
  () => {
    const program = `
    import * as React from 'react';
    import { createServerFlags, FlagBootstrapScript } from '@flagsvc/sdk-react/server';
    import { createTestClient } from '@flagsvc/sdk-core/testing';
    const flags = createServerFlags(createTestClient({ a: 1 }), { user_key: 'u' });
    const { type, props } = FlagBootstrapScript({ bootstrap: flags.bootstrap('*') });
    console.log([typeof React.createContext, flags.flag('a', 0), type, JSON.parse(props.dangerouslySetInnerHTML.__html).evaluations.a.value].join(' '));
  `;
    const args = ['--conditions=react-server', '--input-type=module', '--eval', program];
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(stdout.trim()).toBe('undefined 1 script 1');
  },
);
