/** Preloaded into a command: when it ends, it writes the packages that it loaded to stderr, as JSON. */
import { registerHooks } from 'node:module'

const loaded = new Set<string>()

registerHooks({
  load(url, context, nextLoad) {
    const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
    if (name !== undefined) loaded.add(name)
    return nextLoad(url, context)
  }
})
process.on('exit', () => process.stderr.write(JSON.stringify([...loaded])))
