/** Preloaded into a command: when it ends, it writes the packages that it loaded to stderr, as JSON. */
import { registerHooks } from 'node:module'

const loaded = new Set<string>()

registerHooks({
  load(url, context, nextLoad) {
    const [, path = ''] = url.split('/node_modules/')
    // `npm test` keeps our own code there, and libraries as one file each.
    if (!path.startsWith('.cache/product-templates-command/')) {
      const file = path.replace(/^\.cache\/product-templates-libraries\/(.*)\.mjs$/, '$1')
      const [name] = /^(@[^/]+\/)?[^/]+/.exec(file) ?? []
      if (name !== undefined) loaded.add(name)
    }
    return nextLoad(url, context)
  }
})
process.on('exit', () => process.stderr.write(JSON.stringify([...loaded])))
