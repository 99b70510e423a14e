/** What babel-plugin-relay does: a document in the code becomes the artifact of relay-compiler. */
import { registerHooks } from 'node:module'

const folder = new URL('../../examples/relay/', import.meta.url).href

/** Documents in code, each with the kind and the name of its operation. */
export const tagged = /graphql`(\s*(?:query|mutation) (\w+)[^`]*)`/g

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.startsWith(folder) || url.includes('/generated/')) return loaded
    const code = String(loaded.source)
    const imports = [...code.matchAll(tagged)].map(
      ([, , name]) => `import ${name} from './generated/${name}.graphql.ts'\n`
    )
    return { ...loaded, source: imports.join('') + code.replace(tagged, '$2') }
  }
})
