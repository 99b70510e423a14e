import { join } from 'node:path'
import { defineConfig } from 'vite'

interface Modules {
  getModuleInfo(id: string): { importedIds: string[] } | null
}

/** Lists what a module needs at once: all that it imports, but neither itself nor what is loaded later. */
function listImports(path: string, modules: Modules): Set<string> {
  const start = join(import.meta.dirname, path)
  const found = new Set([start])
  // Entries that are added meanwhile are visited, too.
  for (const id of found) for (const next of modules.getModuleInfo(id)?.importedIds ?? []) found.add(next)
  found.delete(start)
  return found
}

let parts: { login: Set<string>; app: Set<string>; ide: Set<string> } | undefined

/**
 * Few files, because each round trip of a slow network takes seconds: what the login needs, what the gallery needs
 * besides, and of that what the IDE needs, too. The rest is split by default.
 */
function nameFile(id: string, modules: Modules): string | null {
  parts ??= {
    login: listImports('main.tsx', modules),
    app: listImports('app.tsx', modules),
    ide: listImports('ide/main.ts', modules)
  }
  if (parts.login.has(id)) return 'login'
  if (!parts.app.has(id)) return null
  return parts.ide.has(id) ? 'header' : 'gallery'
}

/** In this order: a group takes all that its modules import, unless an earlier one has it. */
const groups = ['login', 'header', 'gallery'].map((name, at) => ({
  name: (id: string, modules: Modules) => (nameFile(id, modules) === name ? name : null),
  priority: 3 - at
}))

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
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    rolldownOptions: { output: { codeSplitting: { groups } } }
  }
})
