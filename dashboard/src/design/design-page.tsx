import { usePage } from '../app/navigation/use-page.ts';
import { TipContext } from '../ui/tip.tsx';
import { Tip } from '../ui/tooltip.tsx';
import styles from './design.module.css';
import { Controls } from './sections/controls.tsx';
import { Messages } from './sections/messages.tsx';
import { States } from './sections/states.tsx';

/** Every part in every state, in both themes beside each other. */
export function DesignPage() {
  usePage('Design');
  return (
    <TipContext.Provider value={Tip}>
      <main className={styles.themes}>
        {(['light', 'dark'] as const).map((theme) => (
          <div key={theme} className={styles.theme} data-theme={theme}>
            <h1>Parts, {theme}</h1>
            <Controls />
            <States />
            <Messages />
          </div>
        ))}
      </main>
    </TipContext.Provider>
  );
}
