/**
 * Throws if Node.js is too old: the SQLite driver would crash the process. Each entry point imports this file first,
 * so it must not import anything.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18))
  throw new Error(`product-templates needs Node.js 22.18 or newer; this is ${process.versions.node}`)
