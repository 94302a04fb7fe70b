import optimizeLocales from '@react-aria/optimize-locales-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The dashboard's server, which `npm run serve` starts beside the API.
const SERVER = process.env['FLAGSVC_DASHBOARD_SERVER'] ?? 'http://localhost:3000';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), { ...optimizeLocales.vite({ locales: ['en-US'] }), enforce: 'pre' }],
  resolve: { conditions: ['@flagsvc/source', 'module', 'browser', 'development|production'] },
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
  },
  server: {
    port: 3001,
    strictPort: true,
    proxy: Object.fromEntries(
      ['/api', '/auth', '/ofrep', '/docs'].map((path) => [path, { target: SERVER, changeOrigin: true }]),
    ),
  },
});
