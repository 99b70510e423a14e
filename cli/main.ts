#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

// Before anything else is imported: on an older Node the SQLite driver ends the process by a crash.
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`product-templates needs Node.js 22.18 or newer, this is ${process.versions.node}`)
  process.exitCode = 2
} else {
  const { dispatch } = await import('./dispatch.ts')
  // What stands when standard input ends in the middle of a prompt.
  process.exitCode = 1
  dispatch(process.argv.slice(2)).then(exitCode => {
    process.exitCode = exitCode
  })
}
