import { defineConfig } from 'vite'

/**
 * Built pages link to relative addresses, because the service may run under a prefix, or behind a proxy that changes
 * it.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  logLevel: 'error',
  // The files of features do not have the tsconfig.json of this folder.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    emptyOutDir: true,
    // Matches the route `GET /explorer/:name`.
    assetsDir: 'explorer',
    chunkSizeWarningLimit: 8000,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    // The first versions that have `light-dark()`. Its replacement would ignore the meta element.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5']
  }
})
