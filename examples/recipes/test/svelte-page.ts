import { mount as mountPage, unmount } from 'svelte';
// @ts-expect-error: esbuild compiles the file, and the compiler of types does not know it
import Page from './Page.svelte';
import type { Mount } from './page-client.ts';

export const mount: Mount = (client, target) => {
  const page = mountPage(Page, { target, props: { client } });
  return () => void unmount(page);
};
