/** Preloaded into a command: when it ends, it writes the packages that it loaded to stderr, as JSON. */
import { registerHooks } from 'node:module'

const loaded = new Set<string>()

registerHooks({
  load(url, context, nextLoad) {
    // Our own code may be in the cache of the tests.
    const [, name] =
      /\/node_modules\/(?!\.cache\/product-templates-command\/)((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
    if (name !== undefined) loaded.add(name)
    return nextLoad(url, context)
  }
})
process.on('exit', () => process.stderr.write(JSON.stringify([...loaded])))
