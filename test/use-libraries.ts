import { registerHooks } from 'node:module'
import { findBundle } from './libraries.ts'

const errorDomain = new URL('error-domain.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier === 'async-hook-domain') return { url: errorDomain, shortCircuit: true }
    const url = findBundle(specifier, context.parentURL)
    return url === undefined ? nextResolve(specifier, context) : { url, format: 'module', shortCircuit: true }
  }
})
