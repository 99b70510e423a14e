#!/usr/bin/env -S node --max-semi-space-size=16 --no-allocation-site-pretenuring
const problem = await import('../runtime/package/node-version.ts').catch(error => error)

if (problem instanceof Error) {
  console.error(problem.message)
  process.exitCode = 2
} else {
  const { enableCompileCache } = await import('node:module')
  const { constants } = await import('node:os')
  // In a folder of this package, because other users could put code into the system's temporary folder. Without
  // permission to write, there is no cache.
  enableCompileCache(`${import.meta.dirname}/../.compile-cache`)
  // Without a handler, the kernel ignores signals to a container's first process. A command's own handler comes first.
  if (process.pid === 1)
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal])
      })
  const { dispatch } = await import('./dispatch.ts')
  // The exit code if standard input ends during a prompt.
  process.exitCode = 1
  dispatch(process.argv.slice(2)).then(exitCode => {
    process.exitCode = exitCode
  })
}
