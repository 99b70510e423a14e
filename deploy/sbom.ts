/**
 * Prints the packages of a release as CycloneDX 1.5, from the lock file. `npm sbom --omit=dev` is not enough: it
 * leaves out packages that a development dependency needs, too, such as graphql.
 */
import { readFileSync } from 'node:fs'

interface Package {
  name?: string
  version: string
  license?: string
  integrity?: string
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
  link?: boolean
}

const read = (path: string) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'))

const { name: ownName, version: ownVersion, license: ownLicense } = read('package.json')
const locked: Record<string, Package> = read('package-lock.json').packages

// The client is a separate package.
const isOurs = (path: string, { link }: Package) => path === '' || link || path.startsWith('packages/')
const parts = Object.entries(locked).filter(
  ([path, one]) => !isOurs(path, one) && !one.dev && !one.devOptional
)
const components = parts.map(([path, one]) => describe(nameOf(path), one))
const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: {
    component: {
      ...describe(ownName, { version: ownVersion, license: ownLicense }),
      type: 'application'
    }
  },
  components: [...new Map(components.map(component => [component['bom-ref'], component])).values()]
}
console.log(JSON.stringify(bom, null, 2))

/** Returns the name of a package by its path in the lock file. */
function nameOf(path: string): string {
  return path.replace(/^.*node_modules\//, '')
}

function describe(name: string, { version, license, integrity, optional }: Package) {
  const [algorithm, digest = ''] = integrity?.split('-') ?? []
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    scope: optional ? 'optional' : 'required',
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(license && { licenses: [{ expression: license }] }),
    ...(algorithm === 'sha512' && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }]
    })
  }
}
