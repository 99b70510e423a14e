import { registerHooks } from 'node:module'
import { findBundle } from './libraries.ts'

registerHooks({
  resolve(specifier, context, nextResolve) {
    const url = findBundle(specifier, context.parentURL)
    return url === undefined ? nextResolve(specifier, context) : { url, format: 'module', shortCircuit: true }
  }
})
