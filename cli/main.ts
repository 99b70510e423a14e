#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'

const needed = [22, 18]
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

// Before anything else is imported: on an older Node the SQLite driver ends the process by a crash.
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `product-templates needs Node.js ${needed.join('.')} or newer, this is ${process.versions.node}`
  )
  process.exitCode = 2
} else {
  // Starting makes a young heap grow that then stays idle: held small meanwhile, the idle service takes
  // 20 MiB less. Under load it may grow as ever.
  setFlagsFromString('--semi-space-growth-factor=1')
  const { dispatch } = await import('./dispatch.ts')
  // What stands when standard input ends in the middle of a prompt.
  process.exitCode = 1
  dispatch(process.argv.slice(2)).then(exitCode => {
    process.exitCode = exitCode
    setFlagsFromString('--semi-space-growth-factor=2')
  })
}
