import { useClientStatus, useFlag, useFlagDetails } from '@flagsvc/sdk-react';
import type { Others } from './client.ts';
import { Toggle, useChange } from './controls.tsx';
import { Rollout } from './rollout.tsx';
import type { Settings } from './settings.ts';
import { MY_NUMBER } from './visitors.ts';

/** The language of a welcome text. A `switch` without all variations of the flag does not compile. */
const languageOf = (text: 'Welcome' | 'Welkom' | 'Good to see you again'): string => {
  switch (text) {
    case 'Welcome':
    case 'Good to see you again':
      return 'en';
    case 'Welkom':
      return 'nl';
  }
};

const Checkout = () => {
  const { value, reason } = useFlagDetails('new-checkout', false);
  return (
    <section className={`card checkout ${value ? 'new' : 'old'}`}>
      <h2>{value ? 'One page, one click' : 'Step 1 of 4: your address'}</h2>
      <p>
        Visitor {MY_NUMBER} gets the {value ? 'new' : 'old'} checkout <code>{reason}</code>
      </p>
      <button type="button" className="pay">
        {value ? 'Pay €24.50' : 'Continue'}
      </button>
    </section>
  );
};

export const App = ({ settings, others }: { readonly settings: Settings; readonly others: Others }) => {
  const isDark = useFlag('dark-mode', false);
  const welcome = useFlag('welcome-text', 'Welcome');
  const status = useClientStatus();
  const { problem, run } = useChange();
  return (
    <main className={isDark ? 'dark' : 'light'}>
      <header>
        <div>
          <h1 lang={languageOf(welcome)}>{welcome}</h1>
          <p>This page evaluates its flags itself. Every open page shows your changes within seconds.</p>
        </div>
        <span className={`status ${status}`}>{status}</span>
      </header>
      <div className="columns">
        <section className="card">
          <h2>A rollout to watch</h2>
          <Rollout
            others={others}
            flagKey="new-checkout"
            onShare={settings.canChange ? (percentage) => run('rollout', { percentage }) : undefined}
          />
        </section>
        <div className="side">
          <Checkout />
          <section className="card">
            <h2>A flag to toggle</h2>
            {settings.canChange ? (
              <Toggle
                label="dark-mode"
                isOn={isDark}
                onChange={(enabled) => run('toggle', { flag_key: 'dark-mode', enabled })}
              />
            ) : (
              <p>Toggle dark-mode through the API, and watch this page.</p>
            )}
            {problem && <p role="alert">{problem}</p>}
          </section>
        </div>
      </div>
    </main>
  );
};
