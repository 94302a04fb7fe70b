import './style.css';
import { FlagProvider } from '@flagsvc/sdk-react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { createClients } from './client.ts';
import { loadSettings } from './settings.ts';

const settings = await loadSettings();
const { client, others } = createClients(settings);
createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <FlagProvider client={client}>
      <App settings={settings} others={others} />
    </FlagProvider>
  </StrictMode>,
);
