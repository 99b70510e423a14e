/** Preloaded into a command: the packages of OpenTelemetry's SDK are not installed. */
import { registerHooks } from 'node:module'

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier.startsWith('@opentelemetry/sdk-'))
      throw Object.assign(new Error(`Cannot find package ${specifier}`), { code: 'ERR_MODULE_NOT_FOUND' })
    return nextResolve(specifier, context)
  }
})
