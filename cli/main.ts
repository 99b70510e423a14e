#!/usr/bin/env -S node --max-semi-space-size=16
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

// Checked before any import: on an older Node.js the SQLite driver crashes the process.
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`product-templates needs Node.js 22.18 or newer; this is ${process.versions.node}`)
  process.exitCode = 2
} else {
  const { enableCompileCache } = await import('node:module')
  // In a folder of its own: into the system's temporary one, others could put code. Without permission to write, no cache.
  enableCompileCache(`${import.meta.dirname}/../.compile-cache`)
  const { dispatch } = await import('./dispatch.ts')
  // The exit code if standard input ends during a prompt.
  process.exitCode = 1
  dispatch(process.argv.slice(2)).then(exitCode => {
    process.exitCode = exitCode
  })
}
