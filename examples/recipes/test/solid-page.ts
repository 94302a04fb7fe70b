import { createComponent, render } from 'solid-js/web';
import { createFlag, FlagContext } from '../solid.ts';
import type { Mount } from './page-client.ts';

/** What the compiler of Solid makes of `<p>{createFlag(name, 'default')()}</p>`: the accessor itself. */
const Part = ({ name }: { name: string }) => createFlag(name, 'default') as never;

export const mount: Mount = (client, target) =>
  render(
    () =>
      createComponent(FlagContext.Provider, {
        value: client,
        get children() {
          return [createComponent(Part, { name: 'colour' }), createComponent(Part, { name: 'size' })];
        },
      }),
    target,
  );
