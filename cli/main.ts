#!/usr/bin/env -S node --max-semi-space-size=16 --no-allocation-site-pretenuring
const problem = await import('../runtime/package/node-version.ts').catch(error => error)

if (problem instanceof Error) {
  console.error(problem.message)
  process.exitCode = 2
} else {
  const { enableCompileCache } = await import('node:module')
  // In a folder of this package, because other users could put code into the system's temporary folder. Without
  // permission to write, there is no cache.
  enableCompileCache(`${import.meta.dirname}/../.compile-cache`)
  // Without a handler, the kernel ignores signals to a container's first process. A command's own handler comes first.
  if (process.pid === 1)
    for (const [signal, number] of [
      ['SIGINT', 2],
      ['SIGTERM', 15]
    ] as const)
      process.on(signal, () => {
        if (process.listenerCount(signal) === 1) process.exit(128 + number)
      })
  const { dispatch } = await import('./dispatch.ts')
  // The exit code if standard input ends during a prompt.
  process.exitCode = 1
  dispatch(process.argv.slice(2)).then(exitCode => {
    process.exitCode = exitCode
  })
}
