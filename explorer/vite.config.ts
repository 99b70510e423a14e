import { defineConfig } from 'vite'

/** The addresses in the built pages are relative: the service may be below a prefix, behind a proxy with another one. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  logLevel: 'error',
  build: {
    emptyOutDir: true,
    // The path of `GET /explorer/:name`.
    assetsDir: 'explorer',
    rolldownOptions: { input: ['explorer/index.html', 'explorer/ide/index.html'] },
    chunkSizeWarningLimit: 8000,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023'
  }
})
