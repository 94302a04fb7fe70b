// Written by flagsvc-typegen. Do not change it by hand: run flagsvc-typegen again.
import '@flagsvc/sdk-core';

declare module '@flagsvc/sdk-core' {
  interface Flags {
    'dark-mode': boolean;
    'new-checkout': boolean;
    'welcome-text': 'Good to see you again' | 'Welcome' | 'Welkom';
  }
}
