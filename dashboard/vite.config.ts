import optimizeLocales from '@react-aria/optimize-locales-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { chunkGroups } from './chunks.ts';

// The dashboard's server, which `npm run serve` starts beside the API.
const SERVER = process.env['FLAGSVC_DASHBOARD_SERVER'] ?? 'http://localhost:3000';

/** React Aria empties its announcer by `innerHTML = ''`, which Trusted Types refuse: a field would take the page with it. */
const trustedAnnouncer: Plugin = {
  name: 'trusted-announcer',
  transform: {
    filter: { id: /dist\/private\/live-announcer\/LiveAnnouncer/ },
    handler(code) {
      const safe = code.replace(/\.innerHTML = ''/g, '.replaceChildren()');
      if (safe === code || safe.includes('innerHTML')) this.error('The announcer of React Aria has changed.');
      return { code: safe, map: null };
    },
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [trustedAnnouncer, react(), { ...optimizeLocales.vite({ locales: ['en-US'] }), enforce: 'pre' }],
  resolve: {
    conditions: ['@flagsvc/source', 'module', 'browser', 'development|production'],
    // React has had this hook since version 18; the libraries bring a copy for older ones.
    alias: [
      {
        find: /^use-sync-external-store\/shim\/index\.js$|^use-sync-external-store\/shim$/,
        replacement: 'react',
      },
      {
        find: /^use-sync-external-store\/shim\/with-selector(\.js)?$/,
        replacement: 'use-sync-external-store/with-selector.js',
      },
    ],
  },
  // The server replaces this text in index.html by a new nonce in every answer.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2022',
    // Browsers with light-dark(); without a target, the theme would be compiled away.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    manifest: true,
    chunkSizeWarningLimit: 1000,
    // The first script lists the files of all pages; short names make it 1 kB smaller.
    rolldownOptions: {
      output: {
        chunkFileNames: 'assets/[hash:8].js',
        assetFileNames: 'assets/[hash:8][extname]',
        codeSplitting: { groups: chunkGroups },
      },
    },
  },
  server: {
    port: 3001,
    strictPort: true,
    proxy: Object.fromEntries(
      ['/api', '/auth', '/ofrep', '/docs'].map((path) => [path, { target: SERVER, changeOrigin: true }]),
    ),
  },
});
