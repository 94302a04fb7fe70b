import '@angular/compiler';
import { type ApplicationRef, Component, provideZonelessChangeDetection } from '@angular/core';
import { createApplication } from '@angular/platform-browser';
import { FLAG_CLIENT, injectFlag } from '../angular.ts';
import type { Mount } from './page-client.ts';

/** Decorators as functions, because esbuild leaves those of the language in the code. */
const Colour = Component({ selector: 'shop-colour', template: '<p>{{ value() }}</p>' })(
  class {
    readonly value = injectFlag('colour', 'default');
  },
);
const Size = Component({ selector: 'shop-size', template: '<p>{{ value() }}</p>' })(
  class {
    readonly value = injectFlag('size', 'default');
  },
);

export const mount: Mount = (client, target) => {
  const providers = [provideZonelessChangeDetection(), { provide: FLAG_CLIENT, useValue: client }];
  let app: ApplicationRef | undefined;
  const hosts = ['shop-colour', 'shop-size'].map((name) => target.appendChild(document.createElement(name)));
  void createApplication({ providers }).then((created) => {
    app = created;
    created.bootstrap(Colour as never, hosts[0]);
    created.bootstrap(Size as never, hosts[1]);
  });
  return () => app?.destroy();
};
