/**
 * Throws if Node.js is older than the package needs: its SQLite driver would crash the process. Each entry point imports
 * this first, so it runs before all else, and imports nothing.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18))
  throw new Error(`product-templates needs Node.js 22.18 or newer; this is ${process.versions.node}`)
