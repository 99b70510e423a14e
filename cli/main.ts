#!/usr/bin/env -S node --max-semi-space-size=16
const problem = await import('../node-version.ts').catch(error => error)

if (problem instanceof Error) {
  console.error(problem.message)
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
